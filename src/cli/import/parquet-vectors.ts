import type { AsyncBuffer, ColumnMetaData, Compressors, FileMetaData, RowGroup } from 'hyparquet'
import { parquetHeader, readPage } from 'hyparquet/src/column.js'
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { getSchemaPath } from 'hyparquet/src/schema.js'

const maxHeader = 64 * 1024

type Decoded = NonNullable<ReturnType<typeof readPage>['data']>

/**
 * The vectors of a row group, a page of the file at a time: in one group there may be all of a file, which
 * as arrays takes some ten times its size.
 */
export async function* vectorsOf(
  file: AsyncBuffer,
  { schema }: FileMetaData,
  group: RowGroup,
  compressors: Compressors,
): AsyncGenerator<unknown, void> {
  const column = group.columns.find(({ meta_data: data }) => data?.path_in_schema[0] === 'vector')
  const chunk = column?.meta_data
  if (chunk === undefined) return
  const decoder = decoderOf(schema, chunk, compressors)
  const start = Number(chunk.dictionary_page_offset || chunk.data_page_offset)
  const end = start + Number(chunk.total_compressed_size)
  let dictionary: Decoded | undefined
  // The last row of a page may go on in the next one.
  let begun: unknown[] = []
  for (let at = start; at < end; ) {
    const head = await file.slice(at, Math.min(at + maxHeader, end))
    const reader = { view: new DataView(head), offset: 0 }
    const header = parquetHeader(reader)
    const from = at + reader.offset
    at = from + header.compressed_page_size
    const page = { view: new DataView(await file.slice(from, at)), offset: 0 }
    const { data } = readPage(page, header, decoder, dictionary, begun, 0)
    if (header.type === 'DICTIONARY_PAGE') dictionary = data && convert(data, decoder)
    else {
      // Lists go on in what they were begun in; other columns, such as JSON, have an array for each page.
      if (data !== begun) for (const row of begun) yield innermost(row)
      const rows: unknown[] = Array.isArray(data) ? data : [...(data ?? [])]
      begun = rows.splice(-1)
      for (const row of rows) yield innermost(row)
    }
  }
  for (const row of begun) yield innermost(row)
}

/** What the pages of a column are decoded by. */
function decoderOf(
  schema: FileMetaData['schema'],
  { path_in_schema: pathInSchema, ...chunk }: ColumnMetaData,
  compressors: Compressors,
) {
  const schemaPath = getSchemaPath(schema, pathInSchema)
  const element = schemaPath.at(-1)?.element ?? { name: 'vector' }
  return { ...chunk, pathInSchema, schemaPath, element, parsers: DEFAULT_PARSERS, compressors }
}

/** Lists of Parquet are groups of a group of elements. */
function innermost(row: unknown): unknown {
  let value = row
  while (Array.isArray(value) && value.length === 1 && Array.isArray(value[0])) value = value[0]
  return value
}
