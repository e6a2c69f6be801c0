import { isIP } from 'node:net'
import { AddressRanges, kindOf, plainAddress } from './addresses.ts'

/** Which hosts are asked for embeddings: those that the operator names, and no others. */
export interface AllowedHosts {
  /** Whether the URL names one of them. */
  readonly includes: (url: URL) => boolean
  /** Whether what a host's name stands for may be connected to. @param address as it was resolved */
  readonly mayBe: (url: URL, address: string) => boolean
}

export const noHosts: AllowedHosts = { includes: () => false, mayBe: () => false }

interface NamedHost {
  readonly name: string
  /** Undefined for that of https, and https alone. */
  readonly port: number | undefined
}

/**
 * @param list names of hosts, with a port unless it is that of https; addresses, or ranges of them; `*` for
 *   all hosts that have a public address
 * @returns undefined where there is something else in it
 */
export function parseAllowedHosts(list: string): AllowedHosts | undefined {
  const named: NamedHost[] = []
  const ranges = new AddressRanges()
  let isOpen = false
  for (const entry of list.split(',').map((text) => text.trim())) {
    if (entry === '') continue
    if (entry === '*') isOpen = true
    else if (!(entry.includes('/') && ranges.add(entry))) {
      const host = hostIn(entry)
      if (host === undefined) return undefined
      named.push(host)
    }
  }
  const isNamed = (url: URL) => {
    const [name, port] = [hostNameOf(url), portOf(url)]
    return named.some((host) => {
      const isThere = host.port === undefined ? isUsualHttps(url) : host.port === port
      return host.name === name && isThere
    })
  }
  return {
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

/** A name that nobody outside can give an address to; the one with dots in public use, which anybody may have bought. */
const isLocalName = (name: string) =>
  isIP(name) === 0 &&
  (!name.includes('.') || /\.(localhost|local|internal|lan|home\.arpa)$/.test(name))

/** By the rules of URLs, so that `0x7f.1` is 127.0.0.1, and without the brackets of IPv6. */
export const hostNameOf = ({ hostname }: URL) =>
  plainAddress(hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, ''))

/** Where a key goes unencrypted the operator has to name the port. */
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
