import { gzipSync } from 'node:zlib'
import { oddValues } from '../../support/fuzz/json-values.ts'
import { type Frame, noJson, oddLines, oddTexts } from '../../support/fuzz/texts.ts'
import { RawConnection } from '../../support/servers/raw-http.ts'
import { adminKey } from '../service.ts'
import { type Target, targets } from './targets.ts'

const patienceMs = 120_000

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
  const [frame] = Object.values(frames)
  if (frame === undefined) return [...values, ...texts]
  const lines = Object.entries(target.contentType === undefined ? {} : oddLines).map(
    ([name, make]) => caseOf(target, name, () => make(manyLines * bytes, frame)),
  )
  return [...values, ...texts, ...lines, inChunks(target, frame)]
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

const inChunks = (target: Target, frame: Frame): Case => ({
  target,
  body: 'a string without an end, in chunks of a byte',
  make: () => {
    const text = `"${'x'.repeat(Math.min(target.bytes, mostInChunks))}`
    const plain = Buffer.from(framed(frame, text))
    const bytes = Buffer.alloc(6 * plain.length + 5, '1\r\nx\r\n')
    for (const [at, byte] of plain.entries()) bytes[6 * at + 3] = byte
    bytes.write('0\r\n\r\n', 6 * plain.length)
    return { size: plain.length, headers: ['Transfer-Encoding: chunked'], bytes }
  },
})

/**
 * Sends a body over a connection of its own, as it is.
 * @returns the status of the answer, or why there was none
 */
export async function send(
  url: string,
  target: Target,
  number: number,
  sent: Sent,
): Promise<string> {
  const { method, path, hasKey, contentType } = target
  const head = [
    `${method} ${path(number)} HTTP/1.1`,
    'Host: torture',
    'Connection: close',
    ...(hasKey ? [`Authorization: Bearer ${adminKey}`] : []),
    ...(contentType === undefined ? [] : [`Content-Type: ${contentType}`]),
    ...sent.headers,
  ]
  const connection = await RawConnection.open(url)
  void connection.send(`${head.join('\r\n')}\r\n\r\n`)
  void connection.send(sent.bytes)
  const answer = await connection.untilEnd(patienceMs).catch(() => 'no answer in time')
  connection.close()
  return /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? (answer || 'no answer')
}
