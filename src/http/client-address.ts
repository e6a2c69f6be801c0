import { isIP } from 'node:net'
import type { HonoRequest } from 'hono'

interface Received {
  readonly req: HonoRequest
  readonly env?: { readonly peer?: () => string | undefined }
}

/** Returns the client's address; undefined if no server listens, as in tests. */
export type ClientAddress = (c: Received) => string | undefined

/**
 * @param trustProxy whether a proxy in front sets X-Forwarded-For. The proxy added the last address
 *   itself; anyone may have sent the ones before it.
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

/** Turns an IPv4-mapped IPv6 address into plain IPv4. */
const plain = (address: string | undefined) => address?.replace(/^::ffff:(?=\d+\.)/i, '')
