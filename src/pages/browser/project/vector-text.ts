import { bytesFromBase64 } from '../base64.ts'

/** A vector as people paste it: a JSON array, or numbers with commas or spaces between them. */
export function parseVector(text: string): number[] | undefined {
  const inner = /^\s*\[([\s\S]*)\]\s*$/.exec(text)?.[1] ?? text
  const parts = inner.split(/[\s,;]+/).filter((part) => part !== '')
  if (parts.length < 2) return undefined
  const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
  return parts.every((part) => isNumber.test(part)) ? parts.map(Number) : undefined
}

/** In base64 as URLs have it, of float32 as the service keeps them: a tenth of the length of their decimals. */
export function packVector(vector: readonly number[]): string {
  const bytes = new Uint8Array(Float32Array.from(vector).buffer)
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** @returns undefined for what is no packed vector */
export function unpackVector(packed: string): number[] | undefined {
  if (!/^[\w-]+$/.test(packed) || packed.length % 4 === 1) return undefined
  const bytes = bytesFromBase64(packed.replaceAll('-', '+').replaceAll('_', '/'))
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined
  return Array.from(new Float32Array(bytes.buffer), shortest)
}

/** The shortest decimal that is read as the same float32. */
function shortest(value: number): number {
  for (let digits = 1; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return Number(value.toPrecision(9))
}
