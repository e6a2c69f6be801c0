import { gzipSync } from 'node:zlib'
import { type Frame, noJson, oddLines, oddTexts } from '../../support/data/odd-bodies/texts.ts'
import { oddValues } from '../../support/data/odd-bodies/values.ts'
import { type Target, targets } from './targets.ts'

/** One kind of body, sent to one operation. */
export interface Case {
  readonly target: Target
  readonly body: string
  readonly make: () => Sent
}

export interface Sent {
  /** Bytes, decompressed. */
  readonly size: number
  readonly headers: readonly string[]
  readonly bytes: Buffer
}

/** Lines may be many: of them more than fits into one is sent. */
const manyLines = 4
/** Each byte in a chunk of its own takes six on the wire. */
const mostInChunks = 7_500_000

/** All kinds of bodies for all targets. */
export const allCases = (): Case[] => targets.flatMap(casesFor)

function casesFor(target: Target): Case[] {
  const { bytes, frames } = target
  const values = Object.entries(frames).flatMap(([place, frame]) =>
    Object.entries(oddValues).map(([name, make]) =>
      caseOf(target, `${name} in ${place}`, () => framed(frame, make(bytes))),
    ),
  )
  const texts = Object.entries({ ...oddTexts, ...noJson }).map(([name, make]) =>
    caseOf(target, name, () => make(bytes)),
  )
  return [...values, ...texts, ...linesFor(target), ...chunksFor(target)]
}

function linesFor(target: Target): Case[] {
  const [frame] = Object.values(target.frames)
  if (target.contentType === undefined || frame === undefined) return []
  return Object.entries(oddLines).map(([name, make]) =>
    caseOf(target, name, () => make(manyLines * target.bytes, frame)),
  )
}

function chunksFor(target: Target): Case[] {
  const [frame] = Object.values(target.frames)
  if (frame === undefined) return []
  const text = () => framed(frame, `"${'x'.repeat(Math.min(target.bytes, mostInChunks))}`)
  return [
    {
      target,
      body: 'a string without an end, in chunks of a byte',
      make: () => {
        const plain = Buffer.from(text())
        const bytes = Buffer.alloc(6 * plain.length + 5, '1\r\nx\r\n')
        for (const [at, byte] of plain.entries()) bytes[6 * at + 3] = byte
        bytes.write('0\r\n\r\n', 6 * plain.length)
        return { size: plain.length, headers: ['Transfer-Encoding: chunked'], bytes }
      },
    },
  ]
}

const framed = ({ before, after }: Frame, value: string) => before + value + after

const caseOf = (target: Target, body: string, text: () => string | Buffer): Case => ({
  target,
  body,
  make: () => {
    const plain = Buffer.from(text())
    const bytes = gzipSync(plain, { level: 1 })
    const headers = ['Content-Encoding: gzip', `Content-Length: ${bytes.length}`]
    return { size: plain.length, headers, bytes }
  },
})
