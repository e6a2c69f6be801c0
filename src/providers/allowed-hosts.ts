import { isIP } from 'node:net'
import { AddressRanges, kindOf, plainAddress } from './addresses.ts'

/** The hosts that may be asked for embeddings. The operator names them. */
export interface AllowedHosts {
  /** As the operator wrote them. */
  readonly entries: readonly string[]
  /** Whether the URL's host is allowed. */
  readonly includes: (url: URL) => boolean
  /**
   * Whether the service may connect to an address that the host's name resolved to. @param address
   * the resolved address
   */
  readonly mayBe: (url: URL, address: string) => boolean
}

export const noHosts: AllowedHosts = { entries: [], includes: () => false, mayBe: () => false }

interface NamedHost {
  readonly name: string
  /** Undefined allows only https on its default port. */
  readonly port: number | undefined
}

/**
 * @param list host names, with a port unless it is that of https; addresses or address ranges; `*`
 * for all hosts with a public address
 * @returns undefined if an entry is invalid
 */
export function parseAllowedHosts(list: string): AllowedHosts | undefined {
  const named: NamedHost[] = []
  const ranges = new AddressRanges()
  let isOpen = false
  const entries = list
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  for (const entry of entries) {
    if (entry === '*') isOpen = true
    else if (!(entry.includes('/') && ranges.add(entry))) {
      const host = hostIn(entry)
      if (host === undefined) return undefined
      named.push(host)
    }
  }
  const isNamed = (url: URL) => {
    const name = hostNameOf(url)
    const port = portOf(url)
    return named.some((host) => {
      const isThere = host.port === undefined ? isUsualHttps(url) : host.port === port
      return host.name === name && isThere
    })
  }
  return {
    entries,
    includes: (url) => isOpen || isNamed(url) || ranges.has(hostNameOf(url)),
    mayBe(url, resolved) {
      const address = plainAddress(resolved)
      const kind = kindOf(address)
      if (kind === 'public' || ranges.has(address)) return true
      if (!isNamed(url)) return false
      const name = hostNameOf(url)
      if (name === 'localhost') return kind === 'loopback'
      return name === address || (isLocalName(name) && kind !== 'special')
    },
  }
}

/**
 * A name that nobody outside the network can register. Other names with dots are public, and anyone
 * may own them.
 */
const isLocalName = (name: string) =>
  isIP(name) === 0 &&
  (!name.includes('.') || /\.(localhost|local|internal|lan|home\.arpa)$/.test(name))

/**
 * The host name normalised by the rules for URLs (`0x7f.1` becomes 127.0.0.1), without IPv6
 * brackets.
 */
export const hostNameOf = ({ hostname }: URL) =>
  plainAddress(hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, ''))

/**
 * For plain http, over which a key goes unencrypted, the operator has to name the port explicitly.
 */
const isUsualHttps = ({ protocol, port }: URL) => protocol === 'https:' && port === ''
const usualPort = ({ protocol }: URL) => (protocol === 'https:' ? 443 : 80)
const portOf = (url: URL) => (url.port === '' ? usualPort(url) : Number(url.port))

function hostIn(entry: string): NamedHost | undefined {
  const bracketed = isIP(entry) === 6 ? `[${entry}]` : entry
  if (!/^(\[[\da-f:.]+\]|[^\s:/?#@[\]*]+)(:\d{1,5})?$/i.test(bracketed)) return undefined
  if (!URL.canParse(`http://${bracketed}`)) return undefined
  const port = /:(\d+)$/.exec(bracketed.replace(/^\[.*\]/, ''))?.[1]
  return {
    name: hostNameOf(new URL(`http://${bracketed}`)),
    port: port === undefined ? undefined : Number(port),
  }
}
