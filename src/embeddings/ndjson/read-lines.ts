import { randomBytes } from 'node:crypto'
import type { Requester } from '../../concurrency/limiter.ts'
import { badRequest, ServiceError } from '../../errors.ts'
import type { Line } from '../../exports/lines.ts'
import { parseJson } from '../../json/parse.ts'
import { isObject } from '../metadata.ts'
import { textIdOf, toUpload, UploadItem } from '../schemas.ts'
import type { Upload } from '../upload.ts'

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly params: { readonly item?: string }
}

/** How bytes become values, and what is said of a value that is no embedding. */
export interface Reading {
  readonly parse: (bytes: Buffer<ArrayBuffer>, requester: Requester) => Promise<unknown>
  readonly refuse: (error: { readonly issues: readonly Issue[] }) => ServiceError
}

/** A line that is no embedding. */
export class BadLine extends ServiceError {
  readonly line: number

  constructor(line: number, { kind, message }: Pick<ServiceError, 'kind' | 'message'>) {
    super(kind, message)
    this.line = line
  }
}

/**
 * The embeddings of some lines, read as one batch: a thread and a parser for all of them.
 * @throws BadLine for the first line that is none
 */
export async function readLines(
  lines: readonly Line[],
  { parse, refuse }: Reading,
  requester: Requester,
): Promise<Upload[]> {
  const values = await valuesOf(lines, parse, requester)
  return values.map((value, index) => {
    const { data, error } = UploadItem.safeParse(value)
    if (error === undefined) return toUpload(data)
    const item = textIdOf(value)
    const params = item === undefined ? {} : { item }
    const issues = error.issues.map(({ path, message }) => ({ path, message, params }))
    throw new BadLine(lines[index]?.number ?? 0, refuse({ issues }))
  })
}

async function valuesOf(
  lines: readonly Line[],
  parse: Reading['parse'],
  requester: Requester,
): Promise<unknown[]> {
  // Not known to the client: where it stands before, between and behind all items, each line was one value.
  const separator = randomBytes(9).toString('base64')
  try {
    const body = await parse(joined(lines, `"${separator}"`), requester)
    const values = isObject(body) && Array.isArray(body['embeddings']) ? body['embeddings'] : []
    const isSound =
      values.length === 2 * lines.length + 1 &&
      values.every((value, index) => index % 2 === 1 || value === separator)
    if (isSound) return values.filter((_, index) => index % 2 === 1)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'bad-request') throw error
    refuseFirstBad(lines)
    throw error
  }
  refuseFirstBad(lines)
  throw badRequest('the lines are not JSON')
}

function joined(lines: readonly Line[], separator: string): Buffer<ArrayBuffer> {
  const before = Buffer.from(`${separator},`)
  const comma = Buffer.from(',')
  const parts = lines.flatMap(({ bytes }) => [before, bytes, comma])
  const all = [Buffer.from('{"embeddings":['), ...parts, Buffer.from(`${separator}]}`)]
  // Of its own, so that another thread can have it.
  const buffer = Buffer.allocUnsafeSlow(all.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of all) {
    buffer.set(part, at)
    at += part.length
  }
  return buffer
}

function refuseFirstBad(lines: readonly Line[]): void {
  for (const { number, bytes } of lines) {
    try {
      parseJson(bytes)
    } catch (error) {
      throw error instanceof ServiceError ? new BadLine(number, error) : error
    }
  }
}
