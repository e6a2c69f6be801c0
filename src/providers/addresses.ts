import { BlockList, isIP } from 'node:net'

type AddressKind = 'public' | 'loopback' | 'private' | 'special'

/**
 * Address ranges, kept in one list per IP version: in a shared list, `::/3` would also match all
 * IPv4 addresses.
 */
export class AddressRanges {
  readonly #lists = { 4: new BlockList(), 6: new BlockList() }

  constructor(ranges: readonly string[] = []) {
    for (const range of ranges) this.add(range)
  }

  /** @param range an address, or a range such as `10.0.0.0/8` @returns whether it is valid */
  add(range: string): boolean {
    const [address = '', bits, more] = range.split('/')
    const version = isIP(address)
    if (version !== 4 && version !== 6) return false
    const most = version === 4 ? 32 : 128
    const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
    if (more !== undefined || !(prefix <= most)) return false
    this.#lists[version].addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6')
    return true
  }

  /** @param address as `plainAddress` returns it; anything else is in no range */
  has(address: string): boolean {
    const version = isIP(address)
    if (version !== 4 && version !== 6) return false
    return this.#lists[version].check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}

const loopback = new AddressRanges(['127.0.0.0/8', '::1/128'])
const privateUse = new AddressRanges([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
])
/**
 * Addresses that are not global unicast. Source: IANA's registries of special-purpose addresses,
 * and RFC 4291.
 */
const special = new AddressRanges([
  ...['0.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
  // Everything except 2000::/3. This includes the ranges that embed IPv4 addresses, ::ffff:0:0/96
  // and 64:ff9b::/96.
  ...['::/3', '4000::/2', '8000::/1'],
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
])

/** Converts an IPv4-mapped IPv6 address to plain IPv4. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/i.exec(address)
  if (mapped === null) return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
  const [high, low] = [mapped[1], mapped[2]].map((part) => Number.parseInt(part ?? '', 16))
  const bytes = [high, low].flatMap((part = 0) => [part >> 8, part & 255])
  return bytes.join('.')
}

/** Classifies an address. @param address as `plainAddress` returns it */
export function kindOf(address: string): AddressKind {
  if (loopback.has(address)) return 'loopback'
  if (privateUse.has(address)) return 'private'
  return isIP(address) === 0 || special.has(address) ? 'special' : 'public'
}
