/* Uses what @hey-api/openapi-ts makes of the document. Run by .ci/clients. */
import assert from 'node:assert/strict'
import { createClient } from './generated/client/index.js'
import type { ApiStandard, ListEmbeddingsData, Search } from './generated/index.js'
import {
  createApiStandard,
  createProject,
  createUser,
  deleteApiStandard,
  deleteEmbeddings,
  deleteProject,
  deleteUser,
  exportProject,
  getProject,
  importProject,
  listEmbeddings,
  putInstance,
  searchBatch,
  searchByTextId,
  searchByVector,
  uploadEmbeddings,
} from './generated/index.js'

const { SEMBLANCE_URL: baseUrl = '', SEMBLANCE_ADMIN_KEY: adminKey = '' } = process.env
const handle = 'hey-api'

const clientOf = (auth: string) => createClient({ baseUrl, auth, throwOnError: true })

const near = (value: number | undefined, wanted: number) =>
  assert.ok(Math.abs((value ?? Number.NaN) - wanted) < 1e-6, `${value} is not ${wanted}`)

const throwOnError = true as const
const asAdmin = { client: clientOf(adminKey), throwOnError }
const newUser = { user_handle: handle, name: 'Hey', email: 'hey@example.org' }
const { api_key, ...user } = (await createUser({ ...asAdmin, body: newUser })).data
assert.deepEqual(user, newUser)
const asUser = { client: clientOf(api_key), throwOnError }

const standard: ApiStandard = {
  api_standard_handle: handle,
  description: 'A key in a header',
  key_method: 'auth_apikey',
  key_field: 'X-API-Key',
}
assert.deepEqual((await createApiStandard({ ...asAdmin, body: standard })).data, standard)

const instance = await putInstance({
  ...asUser,
  path: { user: handle, instance: 'tiny' },
  body: {
    endpoint: 'https://provider.example/v1/embeddings',
    api_standard: handle,
    model: 'tiny',
    dimensions: 3,
    api_key_encrypted: 'the-key-of-a-provider',
  },
})
assert.equal(instance.data.owner, handle)
assert.equal(instance.data.dimensions, 3)
assert.equal(instance.data.has_api_key, true)

const made = await createProject({
  ...asUser,
  path: { user: handle },
  body: { project_handle: 'colours', instance_owner: handle, instance_handle: 'tiny' },
})
assert.equal(made.data.project_handle, 'colours')
assert.equal(made.data.instance_id, instance.data.instance_id)
assert.equal(made.data.public_read, false)

const path = { user: handle, project: 'colours' }
const uploaded = await uploadEmbeddings({
  ...asUser,
  path,
  body: {
    instance_handle: 'tiny',
    vector_dim: 3,
    embeddings: [
      { text_id: 'red', vector: [1, 0, 0], metadata: { tone: 'warm' }, text: 'Red' },
      { text_id: 'orange', vector: [1, 0.5, 0], metadata: { tone: 'warm' } },
      { text_id: 'violet', vector: [1, 0, 1], metadata: { tone: 'cold' } },
      // 0, 0, 1 as little-endian float32, and a text_id that a path has to escape.
      { text_id: 'light blue/2', vector: 'AAAAAAAAAAAAAIA/', metadata: { tone: 'cold' } },
    ],
  },
})
assert.ok(typeof uploaded.data !== 'string', 'lines, which only an upload of lines is answered')
assert.deepEqual(uploaded.data.uploaded, ['red', 'orange', 'violet', 'light blue/2'])

const ofStored = await searchByTextId({
  ...asUser,
  path: { ...path, text_id: 'light blue/2' },
  query: { limit: 2, threshold: 0.1 },
})
assert.deepEqual(
  ofStored.data.results.map(({ id }) => id),
  ['violet'],
)
near(ofStored.data.results[0]?.similarity, Math.SQRT1_2)

const filtered = await searchByVector({
  ...asUser,
  path,
  body: {
    vector: [1, 0.4, 0],
    filter: { tone: { $in: ['warm'] } },
    include: ['metadata', 'vector'],
  },
})
assert.deepEqual(
  filtered.data.results.map(({ id, metadata, vector }) => [id, metadata, vector]),
  [
    ['orange', { tone: 'warm' }, [1, 0.5, 0]],
    ['red', { tone: 'warm' }, [1, 0, 0]],
  ],
)
near(filtered.data.results[0]?.similarity, 0.9965458)

const grouped = await searchByVector({
  ...asUser,
  path,
  body: { vector: [1, 0.4, 0], threshold: 0, group_by: 'tone', group_size: 2 },
})
assert.deepEqual(
  grouped.data.results.map(({ id, group }) => [id, group]),
  [
    ['orange', 'warm'],
    ['red', 'warm'],
    ['violet', 'cold'],
    ['light blue/2', 'cold'],
  ],
)

const searches: Search[] = [{ vector: [0, 0, 1], limit: 1 }, { text_id: 'green' }]
const { answers } = (await searchBatch({ ...asUser, path, body: { searches } })).data
const [first, second] = answers
assert.ok(answers.length === 2 && first && 'results' in first && second && 'error' in second)
assert.equal(first.mode, 'exact')
assert.equal(first.results[0]?.id, 'light blue/2')
assert.equal(second.error.status, 404)

const listed = async (query: ListEmbeddingsData['query']) => {
  const { data } = await listEmbeddings({ ...asUser, path, query })
  assert.ok('embeddings' in data)
  return data
}
const page = await listed({ limit: 2 })
assert.equal(page.total_count, 4)
assert.deepEqual(
  page.embeddings.map(({ text_id }) => text_id),
  ['light blue/2', 'orange'],
)
const rest = await listed({ after: 'orange' })
assert.deepEqual(
  rest.embeddings.map(({ text_id, text, vector }) => [text_id, text, vector]),
  [
    ['red', 'Red', [1, 0, 0]],
    ['violet', undefined, [1, 0, 1]],
  ],
)

const parquet = await exportProject({ ...asUser, path, query: { format: 'parquet' } })
assert.equal(await parquet.data.slice(0, 4).text(), 'PAR1')

const file = await exportProject({ ...asUser, path, query: { format: 'semblance' } })
const lines = await importProject({
  ...asUser,
  path: { ...path, project: 'copy' },
  body: await file.data.text(),
  // Lines are text, not JSON.
  bodySerializer: null,
  parseAs: 'text',
})
assert.match(lines.data, /"embeddings":4/)

const deleted = await deleteEmbeddings({ ...asUser, path, body: { filter: { tone: 'cold' } } })
assert.equal(deleted.data.deleted_count, 2)
const removed = await deleteProject({ ...asUser, path })
assert.match(removed.data.message, /'hey-api\/colours' deleted/)
const gone = await getProject({ client: asUser.client, path, throwOnError: false })
assert.equal(gone.error?.status, 404)
assert.match(gone.error.detail, /'hey-api\/colours' not found/)
const left = await deleteUser({ ...asAdmin, path: { user: handle } })
assert.match(left.data.message, /'hey-api' deleted/)
const { message } = (await deleteApiStandard({ ...asAdmin, path: { standard: handle } })).data
assert.match(message, /'hey-api' deleted/)
