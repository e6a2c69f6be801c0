import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { describe, expect, it, onTestFinished } from 'vitest'
import { call } from '../../support/client.ts'
import { exported, valuesOf } from '../../support/exports.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'
import { hasPython, python } from '../../support/python.ts'

async function someProject(): Promise<Project> {
  const project = await newProject()
  await upload(
    project,
    embedding('z', [0.1, -3e-8, 1], { text: 'Zorn\n😀' }),
    embedding('é', [1, 2, 3], { metadata: { n: 1, of: ['ü', null] } }),
    embedding('a', [1e-30, 0.3, 1]),
  )
  return project
}

const table = async (project: Project, query = '') => {
  const bytes = await exported(project, `format=parquet${query}`)
  return new Uint8Array(bytes).buffer
}
const asFloats = (vector: number[]) => vector.map(Math.fround)

describe('the export as Parquet', () => {
  it('has a row for each embedding, with all that was uploaded', async () => {
    const project = await someProject()
    const rows = await parquetReadObjects({ file: await table(project) })
    const lines = valuesOf(await exported(project))
    expect(rows).toEqual(
      lines.map(({ text = null, metadata = null, created_at, vector, ...line }) => ({
        ...line,
        text,
        metadata: metadata === null ? null : expect.any(String),
        created_at: expect.any(Date),
        vector: asFloats(vector),
      })),
    )
    for (const [index, row] of rows.entries()) {
      expect(JSON.parse(row['metadata'] ?? 'null')).toEqual(lines[index].metadata ?? null)
      expect(row['created_at'].toISOString()).toBe(lines[index].created_at)
    }
  })

  it('has the types that tables of vectors have elsewhere', async () => {
    const { schema } = parquetMetadata(await table(await someProject()))
    const types = schema.map(({ name, type, repetition_type, logical_type }) =>
      [name, type, repetition_type, logical_type?.type].filter((word) => word !== undefined),
    )
    expect(types).toEqual([
      ['schema'],
      ['text_id', 'BYTE_ARRAY', 'REQUIRED', 'STRING'],
      ['text', 'BYTE_ARRAY', 'OPTIONAL', 'STRING'],
      ['metadata', 'BYTE_ARRAY', 'OPTIONAL', 'STRING'],
      ['created_at', 'INT64', 'REQUIRED', 'TIMESTAMP'],
      ['vector', 'REQUIRED', 'LIST'],
      ['list', 'REPEATED'],
      ['element', 'FLOAT', 'REQUIRED'],
    ])
  })

  it('has of its columns those that include names, of its rows those of a filter', async () => {
    const project = await someProject()
    const filter = encodeURIComponent(JSON.stringify({ text_id: { $prefix: 'z' } }))
    const file = await table(project, `&include=text&filter=${filter}`)
    const created_at = expect.any(Date)
    expect(await parquetReadObjects({ file })).toEqual([
      { text_id: 'z', text: 'Zorn\n😀', created_at },
    ])
  })

  it('is a file without rows where there is nothing', async () => {
    expect(await parquetReadObjects({ file: await table(await newProject()) })).toEqual([])
  })

  it('is made of row groups of bounded size', async () => {
    const dimensions = 2_000
    const project = await newProject({}, { dimensions })
    const vector = Array.from({ length: dimensions }, (_, index) => index + 0.5)
    for (let from = 0; from < 300; from += 100) {
      const items = Array.from({ length: 100 }, (_, index) => embedding(`${from + index}`, vector))
      const { key } = project.owner
      await call('POST', project.path('embeddings'), { key, body: { embeddings: items } })
    }
    const file = await table(project)
    const groups = parquetMetadata(file).row_groups.map(({ num_rows }) => Number(num_rows))
    expect(groups).toEqual([131, 131, 38])
    const rows = await parquetReadObjects({ file })
    expect(rows.map(({ vector }) => vector)).toEqual(rows.map(() => vector))
  })

  it.skipIf(!hasPython('pyarrow, pandas', 'no file is read back by them'))(
    'is read by pyarrow and pandas',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'parquet-'))
      onTestFinished(() => rm(folder, { recursive: true }))
      const project = await someProject()
      const path = join(folder, 'texts.parquet')
      await writeFile(path, new Uint8Array(await table(project)))
      const program = `
import json, sys
import numpy as np, pandas as pd, pyarrow.parquet as pq
df = pd.read_parquet(sys.argv[1])
vectors = np.stack(df.vector)
print(json.dumps({
  'types': [str(field.type) for field in pq.read_schema(sys.argv[1])],
  'ids': df.text_id.tolist(),
  'texts': [None if pd.isna(text) else text for text in df.text],
  'metadata': [None if pd.isna(text) else json.loads(text) for text in df.metadata],
  'times': [time.isoformat(timespec='milliseconds') for time in df.created_at],
  'dtype': str(vectors.dtype), 'vectors': vectors.astype(float).tolist()}))`
      const { stdout } = await promisify(execFile)(python, ['-c', program, path])
      const lines = valuesOf(await exported(project))
      expect(JSON.parse(stdout)).toEqual({
        types: [
          'string',
          'string',
          'string',
          'timestamp[us, tz=UTC]',
          'list<element: float not null>',
        ],
        ids: ['a', 'z', 'é'],
        texts: lines.map(({ text = null }) => text),
        metadata: lines.map(({ metadata = null }) => metadata),
        times: lines.map(({ created_at }) => created_at.replace('Z', '+00:00')),
        dtype: 'float32',
        vectors: lines.map(({ vector }) => asFloats(vector)),
      })
    },
  )
})
