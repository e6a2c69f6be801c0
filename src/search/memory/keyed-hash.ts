/**
 * HalfSipHash-1-3 of some bytes, by a key that nobody else knows (Aumasson and Bernstein: SipHash, INDOCRYPT 2012; its
 * form with 32 bits is that of the Linux kernel).
 * @returns 32 bits
 */
export function keyedHash(
  key: Int32Array,
  bytes: Uint8Array,
  begin: number,
  length: number,
): number {
  const [first, second] = [key[0] ?? 0, key[1] ?? 0]
  let v0 = first
  let v1 = second
  let v2 = 0x6c796765 ^ first
  let v3 = 0x74656462 ^ second
  const words = (length >> 2) + 1
  for (let word = 0; word < words + 3; word += 1) {
    const mixed = word < words ? wordAt(bytes, begin, length, 4 * word) : 0
    if (word === words) v2 ^= 0xff
    v3 ^= mixed
    v0 = (v0 + v1) | 0
    v1 = v0 ^ ((v1 << 5) | (v1 >>> 27))
    v0 = (v0 << 16) | (v0 >>> 16)
    v2 = (v2 + v3) | 0
    v3 = v2 ^ ((v3 << 8) | (v3 >>> 24))
    v0 = (v0 + v3) | 0
    v3 = v0 ^ ((v3 << 7) | (v3 >>> 25))
    v2 = (v2 + v1) | 0
    v1 = v2 ^ ((v1 << 13) | (v1 >>> 19))
    v2 = (v2 << 16) | (v2 >>> 16)
    v0 ^= mixed
  }
  return v1 ^ v3
}

/** Four bytes; the last word has what is left of them, and the length. */
function wordAt(bytes: Uint8Array, begin: number, length: number, from: number): number {
  let word = 0
  for (let at = Math.min(4, length - from) - 1; at >= 0; at -= 1) {
    word = (word << 8) | (bytes[begin + from + at] ?? 0)
  }
  return length - from < 4 ? word | (length << 24) : word
}
