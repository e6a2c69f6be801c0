import { createHash } from 'node:crypto'
import { maxItemBytes, maxItemValues } from '../embeddings/upload/body/split.ts'
import { badRequest } from '../errors.ts'
import { badLine, type Line, linesIn, parseLine } from '../json/lines.ts'
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
export interface FileRow {
  readonly line: number
  readonly textId: string
  readonly createdAt: string
  readonly text: string | null
  /** JSON text. */
  readonly metadata: string | null
  readonly vector: Float32Array
}

type Schema<Value> = {
  safeParse(value: unknown): {
    readonly data?: Value | undefined
    readonly error?:
      | {
          readonly issues: readonly {
            readonly path: readonly PropertyKey[]
            readonly message: string
          }[]
        }
      | undefined
  }
}

/** Reads a file of any length that `SemblanceFile` has written. It validates everything. */
export class FileReader {
  readonly #lines: AsyncGenerator<Line>
  readonly #hash = createHash('sha256')
  #announced = 0
  #dimensions: number | undefined

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
    const manifest = valid(line, Manifest, value)
    this.#add(line)
    this.#announced = manifest.embeddings
    return manifest
  }

  /**
   * Yields all rows. It completes only if the file is whole and its checksum matches.
   * @param dimensions undefined accepts any
   * @throws 400 naming the line
   */
  async *rows(dimensions: number | undefined): AsyncGenerator<FileRow, void> {
    this.#dimensions = dimensions
    let count = 0
    let last = Buffer.of()
    for (;;) {
      const { value: line } = await this.#lines.next()
      if (line === undefined)
        throw badRequest(
          `The file is cut off: it ends after ${count} of ${this.#announced} embeddings`,
        )
      const value = parseLine(line, maxItemValues)
      if (Object.hasOwn(Object(value), 'sha256')) return this.#end(line, value, count)
      if (count === this.#announced) {
        throw bad(line, `the file's first line announces ${count} embeddings, and this is one more`)
      }
      const row = this.#row(line, value)
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

  #row(line: Line, value: unknown): FileRow {
    const {
      text_id: textId,
      created_at: createdAt,
      text,
      metadata,
      vector: base64,
    } = valid(line, FileLine, value)
    const elements = vectorFromBase64(base64)
    const vector =
      elements === undefined ? 'must be base64 of float32 elements' : toFloat32(elements)
    if (typeof vector === 'string') throw bad(line, `vector: ${vector}`)
    if (this.#dimensions !== undefined && vector.length !== this.#dimensions) {
      throw bad(line, `the vector has ${vector.length} dimensions, not ${this.#dimensions}`)
    }
    return {
      line: line.number,
      textId,
      createdAt,
      text: text ?? null,
      metadata: metadata ?? null,
      vector,
    }
  }

  async #end(line: Line, value: unknown, count: number): Promise<void> {
    const { embeddings, sha256 } = valid(line, FileEnd, value)
    for (const [where, said] of [
      ['last line says', embeddings],
      ['first line announces', this.#announced],
    ] as const) {
      if (said === count) continue
      throw bad(line, `the file's ${where} ${said} embeddings, and there are ${count}`)
    }
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

const bad = ({ number }: Line, message: string) => badLine(number, badRequest(message))

function valid<Value>(line: Line, schema: Schema<Value>, value: unknown): Value {
  const { data, error } = schema.safeParse(value)
  if (data !== undefined) return data
  const { path, message } = error?.issues[0] ?? { path: [], message: 'is not valid' }
  throw bad(line, [...path.map(String), message].join(': '))
}
