import { isIP } from 'node:net'
import type { Context } from 'hono'
import type { AppEnv } from './env.ts'

/** Where a request comes from; undefined where nothing listens, as in a test. */
export type ClientAddress = (c: Context<AppEnv>) => string | undefined

/**
 * @param trustProxy whether a proxy in front sets X-Forwarded-For. Of several addresses the last one is
 * its own word; those before it are what it was sent, by anybody.
 */
export function createClientAddress(trustProxy: boolean): ClientAddress {
  return (c) => {
    const forwarded = trustProxy ? lastOf(c.req.header('x-forwarded-for')) : undefined
    return forwarded ?? plain(c.env?.peer?.())
  }
}

function lastOf(header: string | undefined): string | undefined {
  const given = header?.split(',').at(-1)?.trim() ?? ''
  // Some proxies add the port: 192.0.2.1:50000 or [2001:db8::1]:50000.
  const address = /^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(given)?.slice(1).join('') || given
  return isIP(address) === 0 ? undefined : plain(address)
}

/** An IPv4 address as such, also where the socket is one of IPv6. */
const plain = (address: string | undefined) => address?.replace(/^::ffff:(?=\d+\.)/i, '')
