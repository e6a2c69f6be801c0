import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { MapHead, MapRow, MapWriter } from './map-columns.ts'

const groupRows = 10_000

const text = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
} as const
const number = { type: 'FLOAT', repetition_type: 'REQUIRED' } as const
const columnOf = (path: string) => `metadata.${path}`

/** A table with text_id, x and y, and a column of texts for each field. */
export class MapAsParquet implements MapWriter {
  readonly #paths: readonly string[]
  readonly #bytes = new ByteWriter()
  #file: ParquetWriter | undefined
  #rows: MapRow[] = []

  /** @param paths in dot notation */
  constructor(paths: readonly string[]) {
    this.#paths = paths
  }

  *begin({ revision }: MapHead): Generator<Uint8Array<ArrayBuffer>> {
    const columns = [
      { name: 'text_id', ...text, repetition_type: 'REQUIRED' as const },
      { name: 'x', ...number },
      { name: 'y', ...number },
      ...this.#paths.map((path) => ({
        name: columnOf(path),
        ...text,
        repetition_type: 'OPTIONAL' as const,
      })),
    ]
    this.#file = new ParquetWriter({
      writer: this.#bytes,
      schema: [{ name: 'schema', num_children: columns.length }, ...columns],
      statistics: false,
      createdBy: 'Semblance',
      kvMetadata: revision === null ? [] : [{ key: 'revision', value: `${revision}` }],
    })
  }

  *add(rows: readonly MapRow[]): Generator<Uint8Array<ArrayBuffer>> {
    for (const row of rows) this.#rows.push(row)
    if (this.#rows.length < groupRows) return
    this.#writeGroup()
    yield this.#taken()
  }

  *end(): Generator<Uint8Array<ArrayBuffer>> {
    if (this.#rows.length > 0) this.#writeGroup()
    // Into memory: there is nothing to wait for.
    void this.#file?.finish()
    yield this.#taken()
  }

  #writeGroup(): void {
    const rows = this.#rows
    this.#rows = []
    const columnData = [
      { name: 'text_id', data: rows.map(({ textId }) => textId), encoding: 'PLAIN' as const },
      { name: 'x', data: rows.map(({ x }) => x), encoding: 'PLAIN' as const },
      { name: 'y', data: rows.map(({ y }) => y), encoding: 'PLAIN' as const },
      ...this.#paths.map((path, at) => ({
        name: columnOf(path),
        data: rows.map(({ values }) => plain(values[at] ?? null)),
      })),
    ]
    void this.#file?.write({ columnData, rowGroupSize: rows.length })
  }

  /** What was written since; offsets in the file go on. */
  #taken(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#bytes.getBytes())
    this.#bytes.index = 0
    return bytes
  }
}

/** A string without its quotes, anything else as JSON has it. */
const plain = (value: string | null) => (value?.startsWith('"') ? String(JSON.parse(value)) : value)
