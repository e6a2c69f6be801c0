/** The first 64 bits of an IPv6 address, which one connection has to itself; IPv4 unchanged. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [before = '', behind] = address.split('::')
  const groups = before === '' ? [] : before.split(':')
  const last = behind === undefined || behind === '' ? [] : behind.split(':')
  const zeros = behind === undefined ? 0 : Math.max(0, 8 - groups.length - last.length)
  return [...groups, ...new Array<string>(zeros).fill('0'), ...last].slice(0, 4).join(':')
}
