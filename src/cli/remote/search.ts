import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { usualSearch } from '../../similars/options/defaults.ts'
import { isNumberArray } from '../../vectors/float32.ts'
import type { GivenFlags, Run } from '../flags.ts'
import { UsageError } from '../usage-error.ts'
import { connect, jsonFlag, namedProject, numberFlag } from './connection.ts'
import { table } from './table.ts'

export const search: Run = async (given, env) => {
  const { values } = given
  const { project: name = '', text_id, text, 'vector-file': file } = values
  if ([text_id, text, file].filter((given) => given !== undefined).length !== 1) {
    throw new UsageError('search for a TEXT_ID, for --text or for the vector of --vector-file')
  }
  const connection = connect(given, env)
  const asJson = values['json'] === 'true'
  const filter = jsonFlag(given, 'filter')
  const include = partsOf(given) ?? (asJson ? undefined : ['text' as const])
  const what = {
    ...(text_id !== undefined && { text_id }),
    ...(text !== undefined && { text }),
    ...(file !== undefined && { vector: await readVector(file) }),
  }
  const limit = numberFlag(given, 'limit', usualSearch.limit)
  const threshold = numberFlag(given, 'threshold', 0)
  const path = await namedProject(connection, name)
  const { data, response } = await connection.client.POST('/v1/similars/{user}/{project}', {
    params: { path },
    body: { ...what, limit, threshold, ...(filter && { filter }), ...(include && { include }) },
  })
  const note = response.headers.get('X-Search-Note')
  const hidden = Number(response.headers.get('X-Search-Hidden') ?? 0)
  if (note !== null) process.stderr.write(`semblance: ${note}\n`)
  if (hidden > 0) {
    process.stderr.write(`semblance: ${hidden} more are below the threshold of ${threshold}\n`)
  }
  if (asJson) {
    process.stdout.write(`${JSON.stringify(data, null, 2)}\n`)
    return
  }
  const json = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value))
  const rows = data.results.map(({ id, similarity, text, metadata, vector }) => [
    similarity.toFixed(4),
    id,
    ...(include ?? []).map(
      (part) => ({ text, metadata: json(metadata), vector: json(vector) })[part],
    ),
  ])
  const columns = ['similarity', 'text_id', ...(include ?? [])]
  process.stdout.write(table(columns, rows) || 'Nothing is similar\n')
}

const isPart = (name: string) => name === 'text' || name === 'metadata' || name === 'vector'

function partsOf({ values }: GivenFlags) {
  const names = values['include']?.split(',').map((name) => name.trim())
  if (names === undefined || names.every(isPart)) return names
  throw new UsageError('--include takes text, metadata and vector, with commas between them')
}

async function readVector(file: string): Promise<number[]> {
  const bytes = file === '-' ? await buffer(process.stdin) : await readFile(file)
  if (bytes.subarray(1, 6).toString('latin1') === 'NUMPY') {
    const { readNpy } = await import('../import/npy.ts')
    return [...readNpy(bytes)]
  }
  try {
    const vector: unknown = JSON.parse(bytes.toString())
    if (isNumberArray(vector)) return vector
  } catch {
    // Told below.
  }
  throw new UsageError(`${file} is neither a JSON array of numbers nor an .npy file`)
}
