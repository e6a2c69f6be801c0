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

/** Makes of the bytes of a batch what is validated. */
export type ParseBody = (bytes: Buffer<ArrayBuffer>, requester: Requester) => Promise<unknown>

interface LinesRequest {
  readonly once: SharedFields
  /** Whether lines without a vector get one. */
  readonly embed: boolean
  readonly requester: Requester
}

/**
 * The embeddings of some lines, read as one batch: a thread and a parser for all of them.
 * @param ignored gets the names of fields that mean nothing
 * @throws BadLine for the first line that is none
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
  // Nobody can guess it: with one before and behind each value, each line was one.
  const mark = randomBytes(9).toString('base64')
  try {
    const body = await parse(listOf(lines, mark), requester)
    return await toUploads(valuesBetween(body, mark, lines.length))
  } catch (error) {
    if (error instanceof BadLine) throw error
    if (!(error instanceof ServiceError) || error.kind !== 'bad-request') throw error
  }
  // Which line it is: those before it may have other faults.
  return toUploads(valuesOneByOne(lines))
}

/** An upload of them all, with a mark before and behind each. */
function listOf(lines: readonly Line[], mark: string): Buffer<ArrayBuffer> {
  const parts = lines.flatMap(({ bytes }) => [bytes, Buffer.from(`,"${mark}",`)])
  parts.pop()
  const all = [Buffer.from(`{"embeddings":["${mark}",`), ...parts, Buffer.from(`,"${mark}"]}`)]
  // Of its own, so that another thread can have it.
  const buffer = Buffer.allocUnsafeSlow(all.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of all) {
    buffer.set(part, at)
    at += part.length
  }
  return buffer
}

/** @throws 400 where a line is not one value */
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

/** @throws BadLine for the first that is not one value */
async function* valuesOneByOne(lines: readonly Line[]): AsyncGenerator<unknown, void> {
  for (const line of lines) {
    await setImmediate()
    yield parseLine(line, maxItemValues)
  }
}
