import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** A verse with its embedding. */
export interface Verse {
  readonly text_id: string
  readonly text: string
  readonly metadata: { readonly ref: { readonly book: string } }
  readonly vector: number[]
}

const bytesOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url))

/** The 3,779 verses of the four gospels with real embeddings of 384 dimensions. */
export function gospels384(): Verse[] {
  const lines = gunzipSync(bytesOf('examples/parallels/gospels.ndjson.gz')).toString().trim()
  return lines.split('\n').map((line) => JSON.parse(line))
}

const dimensions = 1_536

/** The first 2,000 of them with embeddings of 1,536 dimensions. */
export function gospels1536(): Verse[] {
  const halves = bytesOf('test/fixtures/gospels-1536.f16')
  const verses = gospels384().slice(0, halves.length / 2 / dimensions)
  return verses.map((verse, row) => ({
    ...verse,
    vector: Array.from({ length: dimensions }, (_, column) =>
      fromHalf(halves.readUInt16LE(2 * (row * dimensions + column))),
    ),
  }))
}

/** A number from the bits of its half-precision form. */
function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = (bits & 0x3ff) / 1024
  return exponent === 0 ? sign * fraction * 2 ** -14 : sign * (1 + fraction) * 2 ** (exponent - 15)
}
