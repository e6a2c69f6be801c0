import { ParquetParts, textColumn } from '../parquet/parquet-writer.ts'
import type { MapHead, MapRow, MapWriter } from './map-columns.ts'

const groupRows = 10_000

const number = { type: 'FLOAT', repetition_type: 'REQUIRED' } as const
const columnOf = (path: string) => `metadata.${path}`

/** Writes a table with text_id, x and y, and a text column for each field. */
export class MapAsParquet implements MapWriter {
  readonly #paths: readonly string[]
  #file: ParquetParts | undefined
  #rows: MapRow[] = []

  /** @param paths in dot notation */
  constructor(paths: readonly string[]) {
    this.#paths = paths
  }

  *begin({ revision }: MapHead): Generator<Uint8Array<ArrayBuffer>> {
    const columns = [
      [textColumn('text_id', 'REQUIRED')],
      [{ name: 'x', ...number }],
      [{ name: 'y', ...number }],
      ...this.#paths.map((path) => [textColumn(columnOf(path), 'OPTIONAL')]),
    ]
    const kvMetadata = revision === null ? [] : [{ key: 'revision', value: `${revision}` }]
    this.#file = new ParquetParts(columns, kvMetadata)
  }

  *add(rows: readonly MapRow[]): Generator<Uint8Array<ArrayBuffer>> {
    for (const row of rows) this.#rows.push(row)
    if (this.#file === undefined || this.#rows.length < groupRows) return
    this.#writeGroup(this.#file)
    yield this.#file.taken()
  }

  *end(): Generator<Uint8Array<ArrayBuffer>> {
    if (this.#file === undefined) return
    if (this.#rows.length > 0) this.#writeGroup(this.#file)
    yield this.#file.end()
  }

  #writeGroup(file: ParquetParts): void {
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
    file.write(columnData, rows.length)
  }
}

/** The content of a string; anything else as JSON text. */
const plain = (value: string | null) => (value?.startsWith('"') ? String(JSON.parse(value)) : value)
