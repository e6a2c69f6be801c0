import { badRequest, ServiceError } from '../errors.ts'
import { Gathered } from './gathered.ts'
import { parseJson } from './parse.ts'
import { isSpace, jsonBytes } from './scan.ts'

/** Chunks of bytes. What was read counts as held in memory until it is released. */
export interface HeldChunks extends AsyncIterable<Uint8Array> {
  release(): void
}

const { lineFeed } = jsonBytes
/** A line without its line feed. */
export interface Line {
  /** Counted from 1. */
  readonly number: number
  readonly bytes: Buffer
}

/** An error in one line; its message names the line. */
export class BadLine extends ServiceError {
  readonly line: number

  constructor(line: number, { kind, message }: Pick<ServiceError, 'kind' | 'message'>) {
    super(kind, message)
    this.line = line
  }
}

export const badLine = (line: number, { kind, message }: Pick<ServiceError, 'kind' | 'message'>) =>
  new BadLine(line, { kind, message: `line ${line}: ${message}` })

/** @throws BadLine if the line is not one JSON value, or holds more than `maxValues` */
export function parseLine({ number, bytes }: Line, maxValues: number): unknown {
  try {
    return parseJson(bytes, maxValues)
  } catch (error) {
    throw error instanceof ServiceError ? badLine(number, error) : error
  }
}

/**
 * Splits chunks of text into lines. What follows the last line feed is a line too.
 * @param maxBytes of one line
 * @param skipsSpace whether to skip spaces before a line, and blank lines, which still count
 * @throws 400 if a line is longer
 */
export async function* linesIn(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  skipsSpace = false,
): AsyncGenerator<Line> {
  let begun = new Gathered()
  let number = 1
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    for (let start = 0; ; ) {
      // Skipped in one go, because millions of blank lines are a few bytes when compressed.
      for (; skipsSpace && begun.size === 0 && isSpace(bytes[start] ?? 0); start += 1) {
        if (bytes[start] === lineFeed) number += 1
      }
      const feed = bytes.indexOf(lineFeed, start)
      const part = bytes.subarray(start, feed === -1 ? undefined : feed)
      if (begun.size + part.length > maxBytes) {
        throw badRequest(`line ${number} has more than ${maxBytes} bytes`)
      }
      begun.append(part)
      if (feed === -1) break
      yield { number, bytes: begun.bytes() }
      begun = new Gathered()
      number += 1
      start = feed + 1
    }
  }
  if (begun.size > 0) yield { number, bytes: begun.bytes() }
}
