import { createHash } from 'node:crypto'
import { maxItemBytes, maxItemValues } from '../embeddings/upload/body/split.ts'
import { badRequest } from '../errors.ts'
import type { Refusal } from '../invalid.ts'
import { badLine, type Line, linesIn, parseLine } from '../json/lines.ts'
import type { StagedRow } from '../vectors/copy-format.ts'
import { vectorFromBase64 } from '../vectors/encoding.ts'
import { toFloat32 } from '../vectors/float32.ts'
import { FileEnd, FileLine, type FileManifest, Manifest } from './schemas.ts'
import { fileVersion } from './semblance.ts'

/**
 * Larger than the limit for upload items: PostgreSQL prints 256 KiB of metadata with numbers such
 * as 5e-324 as 12 MB, and JSON takes up to 6 bytes per character of text.
 */
const maxLineBytes = 3 * maxItemBytes
/**
 * The limit of the first line: twice the printed size of the longest description and
 * metadataScheme.
 */
const maxManifestBytes = 2 ** 20

/** An embedding of a file in its stored form. */
export interface FileRow extends StagedRow {
  readonly createdAt: string
}

/** Reads a file of any length that `semblanceFile` has written. It validates everything. */
export class FileReader {
  readonly #lines: AsyncGenerator<Line>
  readonly #hash = createHash('sha256')
  #announced = 0

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#lines = linesIn(chunks, maxLineBytes)
  }

  /**
   * Has to be called first. @throws 400 if this is not a semblance file, or its version is unknown
   */
  async manifest(): Promise<FileManifest> {
    const { value: line } = await this.#lines.next()
    if (line === undefined) throw badRequest('The body is empty: a semblance file is required')
    if (line.bytes.length > maxManifestBytes) {
      const most = `its first line has more than ${maxManifestBytes} bytes`
      throw bad(line, `this is no semblance file: ${most}`)
    }
    const value = parseLine(line, maxItemValues)
    const version = Object(value)['semblance']
    if (version === undefined) {
      throw bad(line, 'this is no semblance file: it begins with {"semblance":1,')
    }
    if (version !== fileVersion) {
      throw bad(line, `this server reads version ${fileVersion} of semblance files alone`)
    }
    const manifest = valid(line, Manifest.safeParse(value))
    this.#add(line)
    this.#announced = manifest.embeddings
    return manifest
  }

  /**
   * Yields all rows. It completes only if the file is whole and its checksum matches.
   * @throws 400 naming the line
   */
  async *rows(dimensions: number): AsyncGenerator<FileRow, void> {
    let count = 0
    let last = Buffer.of()
    for (;;) {
      const { value: line } = await this.#lines.next()
      if (line === undefined) {
        throw badRequest(
          `The file is cut off: it ends after ${count} of ${this.#announced} embeddings`,
        )
      }
      const value = parseLine(line, maxItemValues)
      if (Object.hasOwn(Object(value), 'sha256')) return this.#end(line, value, count)
      if (count === this.#announced) {
        throw bad(line, `the file's first line announces ${count} embeddings, and this is one more`)
      }
      const row = rowOf(line, value, dimensions)
      const key = Buffer.from(row.textId)
      if (Buffer.compare(last, key) >= 0) {
        throw bad(line, `text_id '${row.textId}' is not behind the one before it in byte order`)
      }
      last = key
      count += 1
      this.#add(line)
      yield row
    }
  }

  /** Stops reading the rest of the file. */
  async close(): Promise<void> {
    await this.#lines.return(undefined)
  }

  async #end(line: Line, value: unknown, count: number): Promise<void> {
    const { embeddings, sha256 } = valid(line, FileEnd.safeParse(value))
    const differs = (said: string) =>
      bad(line, `the file's ${said} embeddings, and there are ${count}`)
    if (embeddings !== count) throw differs(`last line says ${embeddings}`)
    if (this.#announced !== count) throw differs(`first line announces ${this.#announced}`)
    if (this.#hash.digest('hex') !== sha256) {
      throw badRequest('The file was changed: its SHA-256 is not the one that its last line says')
    }
    if ((await this.#lines.next()).value !== undefined) {
      throw badRequest(`line ${line.number + 1}: something follows the last line of the file`)
    }
  }

  #add({ bytes }: Line): void {
    this.#hash.update(bytes).update('\n')
  }
}

function rowOf(line: Line, value: unknown, dimensions: number): FileRow {
  const { text_id, created_at, text, metadata, vector } = valid(line, FileLine.safeParse(value))
  const elements = vectorFromBase64(vector)
  const float32 =
    elements === undefined ? 'must be base64 of float32 elements' : toFloat32(elements)
  if (typeof float32 === 'string') throw bad(line, `vector: ${float32}`)
  if (float32.length !== dimensions) {
    throw bad(line, `the vector has ${float32.length} dimensions, not ${dimensions}`)
  }
  return {
    textId: text_id,
    createdAt: created_at,
    text: text ?? null,
    metadata: metadata ?? null,
    vector: float32,
  }
}

const bad = ({ number }: Line, message: string) => badLine(number, badRequest(message))

interface Checked<Value> {
  readonly data?: Value | undefined
  readonly error?: Refusal | undefined
}

function valid<Value>(line: Line, { data, error }: Checked<Value>): Value {
  if (data !== undefined) return data
  const { path, message } = error?.issues[0] ?? { path: [], message: 'is not valid' }
  throw bad(line, [...path.map(String), message].join(': '))
}
