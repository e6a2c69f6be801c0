import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { expect, it, onTestFinished } from 'vitest'
import { openParquet } from '../../src/cli/import/parquet.ts'

const name = 'vector'
/** As the service and Arrow write it. */
const list: SchemaElement[] = [
  { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { name: 'element', type: 'FLOAT', repetition_type: 'OPTIONAL' },
]
const schema: SchemaElement[] = [
  { name: 'root', num_children: 3 },
  { name: 'text_id', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
  ...list,
  { name: 'other', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
]

it.each([
  [64, schema],
  [1_000, schema],
  [1_000_000, schema],
  [64, undefined],
])('reads vectors that lie across pages of %i bytes, as lists or as JSON', async (pageSize, form) => {
  const folder = await mkdtemp(join(tmpdir(), 'parquet-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const ids = Array.from({ length: 500 }, (_, row) => `id ${row}`)
  const vectors = ids.map((_, row) => Array.from({ length: 7 }, (_, at) => row + at / 8))
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'text_id', data: ids },
      { name, data: vectors },
      { name: 'other', data: ids },
    ],
    ...(form && { schema: form }),
    pageSize,
    rowGroupSize: [300, 200],
  })
  const file = join(folder, 'a.parquet')
  await writeFile(file, Buffer.from(bytes))
  const ignored = new Set<string>()
  const { rows, part } = await openParquet(file, ignored)
  const read: unknown[] = []
  for await (const row of rows) read.push(row)
  expect(read).toEqual(
    ids.map((text_id, row) => ({
      line: row + 1,
      value: expect.objectContaining({ text_id, vector: vectors[row] }),
    })),
  )
  expect([...ignored]).toEqual(['other'])
  expect(part()).toBe(1)
})
