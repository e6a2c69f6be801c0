/**
 * The one JSON text of a value by the JSON Canonicalization Scheme (RFC 8785): no white space, keys
 * in the order of their UTF-16 code units, numbers and strings as in ECMAScript. Recurses at each
 * level.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = new Map(Object.entries(value))
  // Without a comparison function, sort() compares code units.
  const names = [...members.keys()].sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(members.get(name))}`).join()}}`
}
