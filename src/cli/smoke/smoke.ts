import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type Api, anything, createApi, problemExpected, SmokeFailure } from './api.ts'

/** Reports one step that has passed. */
type SmokeReport = (step: string, ms: number) => void

const directions: Record<string, number[]> = {
  north: [0, 1, 0],
  'north-east': [1, 1, 0],
  east: [1, 0, 0],
  'south/west': [-1, -1, 0.5],
}
const dimensions = 3
const tolerance = 1e-5

const Found = z.object({
  $schema: z.string(),
  results: z.array(z.object({ id: z.string(), similarity: z.number() })),
})

/**
 * Walks through the whole service as a throw-away user and checks every answer. Everything that it
 * creates is removed again, even if a step fails.
 * @throws SmokeFailure that says what was wrong
 */
export async function runSmoke(url: string, adminKey: string, report: SmokeReport): Promise<void> {
  const api = createApi(url)
  const user = `smoke-${randomBytes(6).toString('hex')}`
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const start = performance.now()
    const result = await work()
    report(name, performance.now() - start)
    return result
  }
  const key = await step('register a user', () => registerUser(api, adminKey, user))
  try {
    await step('configure an instance', () => putInstance(api, user, key))
    await step('create a project', () => createProject(api, user, key))
    await step('upload embeddings', () => uploadEmbeddings(api, user, key))
    await step('read an embedding', () => readEmbedding(api, user, key))
    await step('search by text_id', () => searchByTextId(api, user, key))
    await step('search by vector', () => searchByVector(api, user, key))
    await step('refuse what is wrong', () => refuseWrong(api, user, key))
  } catch (failure) {
    // The first failure is reported, even if cleaning up fails as well.
    await removeUser(api, adminKey, user).catch(() => {})
    throw failure
  }
  await step('clean up', () => removeUser(api, adminKey, user))
}

async function registerUser(api: Api, adminKey: string, user: string): Promise<string> {
  const schema = z.object({ user_handle: z.literal(user), api_key: z.string().min(20) })
  const body = { user_handle: user, name: 'Smoke test' }
  const created = await api('POST', '/v1/users', { status: 201, schema }, { key: adminKey, body })
  return created.api_key
}

async function putInstance(api: Api, user: string, key: string): Promise<void> {
  const body = {
    endpoint: 'https://provider-a.example/v1/embeddings',
    api_standard: 'provider-a',
    model: 'smoke',
    dimensions,
    api_key_encrypted: 'not-a-real-key',
  }
  const schema = z
    .looseObject({ instance_handle: z.literal('model') })
    .refine(
      (instance) => !JSON.stringify(instance).includes(body.api_key_encrypted),
      "must not hold the provider's key",
    )
  await api('PUT', `/v1/llm-services/${user}/model`, { status: 201, schema }, { key, body })
}

async function createProject(api: Api, user: string, key: string): Promise<void> {
  const body = { project_handle: 'texts', instance_owner: user, instance_handle: 'model' }
  const schema = z.object({ owner: z.literal(user), public_read: z.literal(false) })
  await api('POST', `/v1/projects/${user}`, { status: 201, schema }, { key, body })
}

async function uploadEmbeddings(api: Api, user: string, key: string): Promise<void> {
  const ids = Object.keys(directions)
  const embeddings = ids.map((text_id) => ({
    text_id,
    instance_handle: 'model',
    vector: directions[text_id],
    vector_dim: dimensions,
    text: `to the ${text_id}`,
    metadata: { axis: { long: text_id.length > 5 } },
  }))
  const schema = z.object({ uploaded: z.array(z.string()).length(ids.length) })
  const path = `/v1/embeddings/${user}/texts`
  await api('POST', path, { status: 201, schema }, { key, body: { embeddings } })
  await api('POST', path, problemExpected(409), { key, body: { embeddings } })
}

async function readEmbedding(api: Api, user: string, key: string): Promise<void> {
  const path = `/v1/embeddings/${user}/texts/${encodeURIComponent('south/west')}`
  const schema = z.object({
    text_id: z.literal('south/west'),
    vector: z.tuple([z.literal(-1), z.literal(-1), z.literal(0.5)]),
    metadata: z.object({ axis: z.object({ long: z.literal(true) }) }),
  })
  await api('GET', path, { status: 200, schema }, { key })
}

async function searchByTextId(api: Api, user: string, key: string): Promise<void> {
  const path = `/v1/similars/${user}/texts/north-east?threshold=0.5`
  const found = await api('GET', path, { status: 200, schema: Found }, { key })
  expectResults(found.results, { east: Math.SQRT1_2, north: Math.SQRT1_2 })
}

async function searchByVector(api: Api, user: string, key: string): Promise<void> {
  const path = `/v1/similars/${user}/texts?threshold=0.5&metadata_path=axis.long&metadata_value=true`
  const body = { vector: [2, 0, 0] }
  const found = await api('POST', path, { status: 200, schema: Found }, { key, body })
  expectResults(found.results, { east: 1 })
}

async function refuseWrong(api: Api, user: string, key: string): Promise<void> {
  const body = { vector: [1, 2] }
  await api('POST', `/v1/similars/${user}/texts`, problemExpected(400), { key, body })
  await api('GET', `/v1/embeddings/${user}/texts`, problemExpected(401))
  await api('GET', `/v1/users/${user}-other`, problemExpected(403), { key })
}

async function removeUser(api: Api, adminKey: string, user: string): Promise<void> {
  await api('DELETE', `/v1/users/${user}`, anything(200), { key: adminKey })
  await api('GET', `/v1/users/${user}`, problemExpected(404), { key: adminKey })
}

function expectResults(
  results: readonly { id: string; similarity: number }[],
  expected: Readonly<Record<string, number>>,
): void {
  const wanted = Object.entries(expected)
  const right =
    results.length === wanted.length &&
    wanted.every(([id, similarity], index) => {
      const result = results[index]
      return result?.id === id && Math.abs(result.similarity - similarity) < tolerance
    })
  if (right) return
  throw new SmokeFailure(
    `search: found ${JSON.stringify(results)} instead of ${JSON.stringify(expected)}`,
  )
}
