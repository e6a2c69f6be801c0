import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Requester } from '../../concurrency/limiter.ts'
import { ServiceError } from '../../errors.ts'
import type { Line } from '../../exports/lines.ts'
import { isObject } from '../metadata.ts'
import type { Upload } from '../upload.ts'
import { splitJson } from '../upload-body/split.ts'
import { jsonValue } from '../upload-body/value.ts'
import {
  noteIgnored,
  type SaidOnce,
  textIdOf,
  toUpload,
  UploadItem,
  withSaidOnce,
} from '../upload-item/schemas.ts'

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly params: { readonly item?: string }
}

/** How bytes become values, and what is said of a value that is no embedding. */
export interface Reading {
  readonly parse: (bytes: Buffer<ArrayBuffer>, requester: Requester) => Promise<unknown>
  readonly refuse: (error: { readonly issues: readonly Issue[] }) => ServiceError
  readonly once: SaidOnce
}

/** A line that cannot be stored; its message names it. */
export class BadLine extends ServiceError {
  readonly line: number

  constructor(line: number, { kind, message }: Pick<ServiceError, 'kind' | 'message'>) {
    super(kind, message)
    this.line = line
  }
}

const badLine = (line: number, { kind, message }: ServiceError) =>
  new BadLine(line, { kind, message: `line ${line}: ${message}` })

/**
 * The embeddings of some lines, read as one batch: a thread and a parser for all of them.
 * @param ignored gets the names of fields that mean nothing
 * @throws BadLine for the first line that is none
 */
export async function readLines(
  lines: readonly Line[],
  { parse, refuse, once }: Reading,
  requester: Requester,
  ignored: Set<string>,
): Promise<Upload[]> {
  const values = await valuesOf(lines, parse, requester)
  return values.map((value, index) => {
    noteIgnored(value, ignored)
    const { data, error } = UploadItem.safeParse(withSaidOnce(value, once))
    if (error === undefined) return toUpload(data)
    const item = textIdOf(value)
    const params = item === undefined ? {} : { item }
    const issues = error.issues.map(({ path, message }) => ({ path, message, params }))
    throw badLine(lines[index]?.number ?? 0, refuse({ issues }))
  })
}

/** Lines that are read one by one before others have their turn. */
const atOnce = 64

async function valuesOf(
  lines: readonly Line[],
  parse: Reading['parse'],
  requester: Requester,
): Promise<unknown[]> {
  // Nobody can guess it: with one before and behind each value, each line was one.
  const mark = randomBytes(9).toString('base64')
  try {
    const values = valuesBetween(await parse(listOf(lines, mark), requester), mark, lines.length)
    if (values !== undefined) return values
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'bad-request') throw error
  }
  return valuesOneByOne(lines)
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

function valuesBetween(value: unknown, mark: string, count: number): unknown[] | undefined {
  const list = isObject(value) ? value['embeddings'] : undefined
  if (!Array.isArray(list) || list.length !== 2 * count + 1) return undefined
  const isSound = list.every((element, index) => (element === mark) === (index % 2 === 0))
  return isSound ? list.filter((_, index) => index % 2 === 1) : undefined
}

/** Within the limits that a body has. @throws BadLine for the first that is not one value */
async function valuesOneByOne(lines: readonly Line[]): Promise<unknown[]> {
  const values: unknown[] = []
  for (const { number, bytes } of lines) {
    if (values.length % atOnce === atOnce - 1) await setImmediate()
    try {
      values.push(jsonValue(splitJson(Buffer.from(bytes))))
    } catch (error) {
      throw error instanceof ServiceError ? badLine(number, error) : error
    }
  }
  return values
}
