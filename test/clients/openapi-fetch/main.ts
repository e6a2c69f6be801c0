/* Uses what openapi-typescript makes of the document. Run by .ci/clients. */
import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { components, paths } from './generated/schema.d.ts'

const { SEMBLANCE_URL: baseUrl = '', SEMBLANCE_ADMIN_KEY: adminKey = '' } = process.env
const handle = 'openapi-fetch'

const clientOf = (key: string) =>
  createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } })

/** What was answered, if that was a success. */
function dataOf<Data>(answer: { data?: Data; error?: unknown; response: Response }): Data {
  const { data, error, response } = answer
  assert.ok(response.ok && data !== undefined, `${response.status} ${JSON.stringify(error)}`)
  return data
}

const near = (value: number | undefined, wanted: number) =>
  assert.ok(Math.abs((value ?? Number.NaN) - wanted) < 1e-6, `${value} is not ${wanted}`)

const admin = clientOf(adminKey)
const newUser = { user_handle: handle, name: 'Open', email: 'open@example.org' }
const { api_key, ...user } = dataOf(await admin.POST('/v1/users', { body: newUser }))
assert.deepEqual(user, newUser)
const client = clientOf(api_key)

const standard: components['schemas']['ApiStandard'] = {
  api_standard_handle: handle,
  description: 'A key in a header',
  key_method: 'auth_apikey',
  key_field: 'X-API-Key',
}
assert.deepEqual(dataOf(await admin.POST('/v1/api-standards', { body: standard })), standard)

const instance = dataOf(
  await client.PUT('/v1/llm-services/{user}/{instance}', {
    params: { path: { user: handle, instance: 'tiny' } },
    body: {
      endpoint: 'https://provider.example/v1/embeddings',
      api_standard: handle,
      model: 'tiny',
      dimensions: 3,
      api_key_encrypted: 'the-key-of-a-provider',
    },
  }),
)
assert.equal(instance.owner, handle)
assert.equal(instance.dimensions, 3)
assert.equal(instance.has_api_key, true)

const made = dataOf(
  await client.POST('/v1/projects/{user}', {
    params: { path: { user: handle } },
    body: { project_handle: 'colours', instance_owner: handle, instance_handle: 'tiny' },
  }),
)
assert.equal(made.project_handle, 'colours')
assert.equal(made.instance_id, instance.instance_id)
assert.equal(made.public_read, false)

const path = { user: handle, project: 'colours' }
const uploaded = dataOf(
  await client.POST('/v1/embeddings/{user}/{project}', {
    params: { path },
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
  }),
)
assert.ok(typeof uploaded !== 'string', 'lines, which only an upload of lines is answered')
assert.deepEqual(uploaded.uploaded, ['red', 'orange', 'violet', 'light blue/2'])

const ofStored = dataOf(
  await client.GET('/v1/similars/{user}/{project}/{text_id}', {
    params: { path: { ...path, text_id: 'light blue/2' }, query: { limit: 2, threshold: 0.1 } },
  }),
)
assert.deepEqual(
  ofStored.results.map(({ id }) => id),
  ['violet'],
)
near(ofStored.results[0]?.similarity, Math.SQRT1_2)

const filtered = dataOf(
  await client.POST('/v1/similars/{user}/{project}', {
    params: { path },
    body: {
      vector: [1, 0.4, 0],
      filter: { tone: { $in: ['warm'] } },
      include: ['metadata', 'vector'],
    },
  }),
)
assert.deepEqual(
  filtered.results.map(({ id, metadata, vector }) => [id, metadata, vector]),
  [
    ['orange', { tone: 'warm' }, [1, 0.5, 0]],
    ['red', { tone: 'warm' }, [1, 0, 0]],
  ],
)
near(filtered.results[0]?.similarity, 0.9965458)

const grouped = dataOf(
  await client.POST('/v1/similars/{user}/{project}', {
    params: { path },
    body: { vector: [1, 0.4, 0], threshold: 0, group_by: 'tone', group_size: 2 },
  }),
)
assert.deepEqual(
  grouped.results.map(({ id, group }) => [id, group]),
  [
    ['orange', 'warm'],
    ['red', 'warm'],
    ['violet', 'cold'],
    ['light blue/2', 'cold'],
  ],
)

const searches: components['schemas']['Search'][] = [
  { vector: [0, 0, 1], limit: 1 },
  { text_id: 'green' },
]
const { answers } = dataOf(
  await client.POST('/v1/similars/{user}/{project}/batch', {
    params: { path },
    body: { searches },
  }),
)
const [first, second] = answers
assert.ok(answers.length === 2 && first && 'results' in first && second && 'error' in second)
assert.equal(first.mode, 'exact')
assert.equal(first.results[0]?.id, 'light blue/2')
assert.equal(second.error.status, 404)

const listed = async (query: { limit?: number; after?: string }) => {
  const page = dataOf(
    await client.GET('/v1/embeddings/{user}/{project}', { params: { path, query } }),
  )
  assert.ok('embeddings' in page)
  return page
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

const file = dataOf(
  await client.GET('/v1/projects/{user}/{project}/export', {
    params: { path, query: { format: 'semblance' } },
    parseAs: 'text',
  }),
)
const lines = dataOf(
  await client.POST('/v1/projects/{user}/{project}/import', {
    params: { path: { ...path, project: 'copy' } },
    body: file,
    // Lines are text, not JSON.
    bodySerializer: (text) => text,
    parseAs: 'text',
  }),
)
assert.match(lines, /"embeddings":4/)

const deleted = dataOf(
  await client.POST('/v1/embeddings/{user}/{project}/delete', {
    params: { path },
    body: { filter: { tone: 'cold' } },
  }),
)
assert.equal(deleted.deleted_count, 2)
const removed = dataOf(await client.DELETE('/v1/projects/{user}/{project}', { params: { path } }))
assert.match(removed.message, /'openapi-fetch\/colours' deleted/)
const gone = await client.GET('/v1/projects/{user}/{project}', { params: { path } })
assert.equal(gone.error?.status, 404)
assert.match(gone.error.detail, /'openapi-fetch\/colours' not found/)
const standardPath = { params: { path: { standard: handle } } }
const left = dataOf(await admin.DELETE('/v1/users/{user}', { params: { path: { user: handle } } }))
assert.match(left.message, /'openapi-fetch' deleted/)
const { message } = dataOf(await admin.DELETE('/v1/api-standards/{standard}', standardPath))
assert.match(message, /'openapi-fetch' deleted/)
