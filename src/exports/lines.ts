import { badRequest } from '../errors.ts'
import { Gathered } from '../json/gathered.ts'
import { isSpace, jsonBytes } from '../json/scan.ts'

const { lineFeed } = jsonBytes
/** A line without its line feed. */
export interface Line {
  /** From 1. */
  readonly number: number
  readonly bytes: Buffer
}

/**
 * The lines of a text that comes in chunks. What follows the last line feed is a line too.
 * @param mostBytes of one line
 * @param skipsSpace whether blank lines, and spaces before others, are counted and left out
 * @throws 400 for a longer line
 */
export async function* linesIn(
  chunks: AsyncIterable<Uint8Array>,
  mostBytes: number,
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
      if (begun.size + part.length > mostBytes) {
        throw badRequest(`line ${number} has more than ${mostBytes} bytes`)
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
