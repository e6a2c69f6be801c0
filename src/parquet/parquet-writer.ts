import {
  ByteWriter,
  type ColumnSource,
  type KeyValue,
  ParquetWriter,
  type SchemaElement,
} from 'hyparquet-writer'

const string = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
} as const
export const textColumn = (
  name: string,
  repetition_type: 'REQUIRED' | 'OPTIONAL',
): SchemaElement => ({ name, ...string, repetition_type })

/** A Parquet file whose bytes can be taken while it is written. */
export class ParquetParts {
  readonly #bytes = new ByteWriter()
  readonly #file: ParquetWriter

  /** @param columns the schema elements of each column */
  constructor(columns: readonly (readonly SchemaElement[])[], kvMetadata?: KeyValue[]) {
    const schema = [{ name: 'schema', num_children: columns.length }, ...columns.flat()]
    this.#file = new ParquetWriter({
      writer: this.#bytes,
      schema,
      statistics: false,
      createdBy: 'Semblance',
      ...(kvMetadata !== undefined && { kvMetadata }),
    })
  }

  /** Writes a row group. The writer works in memory, so there is nothing to await. */
  write(columnData: ColumnSource[], rowGroupSize: number): void {
    void this.#file.write({ columnData, rowGroupSize })
  }

  /** Returns the bytes written since the last call. Offsets within the file continue. */
  taken(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#bytes.getBytes())
    this.#bytes.index = 0
    return bytes
  }

  /** @returns the rest of the file */
  end(): Uint8Array<ArrayBuffer> {
    void this.#file.finish()
    return this.taken()
  }
}
