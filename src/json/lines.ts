import { badRequest, ServiceError } from '../errors.ts'
import { Gathered } from './gathered.ts'
import { parseJson } from './parse.ts'
import { isSpace, jsonBytes } from './scan.ts'

/** Bytes that come in chunks; what was read counts as held in memory until it is released. */
export interface HeldChunks extends AsyncIterable<Uint8Array> {
  release(): void
}

const { lineFeed } = jsonBytes
/** A line without its line feed. */
export interface Line {
  /** From 1. */
  readonly number: number
  readonly bytes: Buffer
}

/** A line that cannot be taken; its message names it. */
export class BadLine extends ServiceError {
  readonly line: number

  constructor(line: number, { kind, message }: Pick<ServiceError, 'kind' | 'message'>) {
    super(kind, message)
    this.line = line
  }
}

export const badLine = (line: number, { kind, message }: Pick<ServiceError, 'kind' | 'message'>) =>
  new BadLine(line, { kind, message: `line ${line}: ${message}` })

/** @throws BadLine for what is not one JSON value, or holds more than `maxValues` */
export function parseLine({ number, bytes }: Line, maxValues: number): unknown {
  try {
    return parseJson(bytes, maxValues)
  } catch (error) {
    throw error instanceof ServiceError ? badLine(number, error) : error
  }
}

/**
 * The lines of a text that comes in chunks. What follows the last line feed is a line too.
 * @param maxBytes of one line
 * @param skipsSpace whether blank lines, and spaces before others, are counted and left out
 * @throws 400 for a longer line
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
      // At once: compressed, millions of blank lines are a few bytes.
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
