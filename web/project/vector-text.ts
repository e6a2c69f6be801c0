/** Reads a vector as people paste it: a JSON array, or numbers separated by commas or spaces. */
export function parseVector(text: string): number[] | undefined {
  const inner = /^\s*\[([\s\S]*)\]\s*$/.exec(text)?.[1] ?? text
  const parts = inner.split(/[\s,;]+/).filter((part) => part !== '')
  if (parts.length < 2) return undefined
  const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
  return parts.every((part) => isNumber.test(part)) ? parts.map(Number) : undefined
}

/** Encodes a vector as URL-safe base64 of float32: a tenth of the length of its decimals. */
export function packVector(vector: readonly number[]): string {
  const bytes = new Uint8Array(Float32Array.from(vector).buffer)
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** @returns undefined if `packed` is not a packed vector */
export function unpackVector(packed: string): number[] | undefined {
  if (!/^[\w-]+$/.test(packed) || packed.length % 4 === 1) return undefined
  const base64 = packed.replaceAll('-', '+').replaceAll('_', '/')
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined
  return Array.from(new Float32Array(bytes.buffer), shortest)
}

/** The shortest decimal that rounds to the same float32. */
function shortest(value: number): number {
  for (let digits = 1; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return Number(value.toPrecision(9))
}
