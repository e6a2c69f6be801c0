import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Requester } from '../../concurrency/limiter.ts'
import { badRequest, ServiceError } from '../../errors.ts'
import { invalid } from '../../invalid.ts'
import type { Line } from '../../json/lines.ts'
import { BadLine, badLine, parseLine } from '../../json/lines.ts'
import { isObject } from '../metadata.ts'
import { Items } from '../upload-body/items.ts'
import { maxItemValues } from '../upload-body/split.ts'
import type { Upload } from '../upload-checks.ts'
import {
  lineItem,
  noteIgnored,
  type SharedFields,
  textIdOf,
  toUpload,
  withSharedFields,
} from '../upload-item/schemas.ts'

/** Parses the bytes of a batch, before validation. */
export type ParseBody = (bytes: Buffer<ArrayBuffer>, requester: Requester) => Promise<unknown>

interface LinesRequest {
  readonly once: SharedFields
  /** Whether to make vectors for lines without one. */
  readonly embed: boolean
  readonly requester: Requester
}

/**
 * Reads some lines as one batch, with one thread and one parser for all of them.
 * @param ignored receives the names of fields that mean nothing
 * @throws BadLine for the first bad line
 */
export async function parseLines(
  lines: readonly Line[],
  parse: ParseBody,
  { once, requester, embed }: LinesRequest,
  ignored: Set<string>,
): Promise<Upload[]> {
  const schema = lineItem(embed)
  const toUploads = async (values: AsyncIterable<unknown>) => {
    const uploads: Upload[] = []
    for await (const value of values) {
      noteIgnored(value, ignored)
      const { data, error } = schema.safeParse(withSharedFields(value, once))
      if (error !== undefined) {
        const item = textIdOf(value)
        const params = item === undefined ? {} : { item }
        const issues = error.issues.map(({ path, message }) => ({ path, message, params }))
        throw badLine(lines[uploads.length]?.number ?? 0, invalid({ issues }, 'json'))
      }
      uploads.push(toUpload(data))
    }
    return uploads
  }
  // Clients cannot guess the mark. If there is one before and after each value, every line was one
  // value.
  const mark = randomBytes(9).toString('base64')
  try {
    const body = await parse(listOf(lines, mark), requester)
    return await toUploads(valuesBetween(body, mark, lines.length))
  } catch (error) {
    if (error instanceof BadLine) throw error
    if (!(error instanceof ServiceError) || error.kind !== 'bad-request') throw error
  }
  // Reads line by line to find the bad one. Lines before it may have other mistakes.
  return toUploads(valuesOneByOne(lines))
}

/** A JSON upload of all lines, with a mark before and after each. */
function listOf(lines: readonly Line[], mark: string): Buffer<ArrayBuffer> {
  const parts = lines.flatMap(({ bytes }) => [bytes, Buffer.from(`,"${mark}",`)])
  parts.pop()
  const all = [Buffer.from(`{"embeddings":["${mark}",`), ...parts, Buffer.from(`,"${mark}"]}`)]
  // In a buffer of its own, so that it can be given to another thread.
  const buffer = Buffer.allocUnsafeSlow(all.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of all) {
    buffer.set(part, at)
    at += part.length
  }
  return buffer
}

/** @throws 400 if a line is not one value */
async function* valuesBetween(
  body: unknown,
  mark: string,
  count: number,
): AsyncGenerator<unknown, void> {
  const list = isObject(body) ? body['embeddings'] : undefined
  const isSound = list instanceof Items && list.length === 2 * count + 1
  if (!isSound) throw badRequest('a line is not one value')
  let index = 0
  for await (const element of list) {
    const isMark = index % 2 === 0
    index += 1
    if ((element === mark) !== isMark) throw badRequest('a line is not one value')
    if (!isMark) yield element
  }
}

/** @throws BadLine for the first line that is not one value */
async function* valuesOneByOne(lines: readonly Line[]): AsyncGenerator<unknown, void> {
  for (const line of lines) {
    await setImmediate()
    yield parseLine(line, maxItemValues)
  }
}
