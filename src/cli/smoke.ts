import { randomBytes } from 'node:crypto'
import { StartupError } from '../errors.ts'
import { findAdminKey } from './admin-key.ts'
import type { Command } from './flags.ts'
import { print } from './print.ts'

const timeoutMs = 30_000
const tolerance = 1e-5
const providerKey = 'not-a-real-key'
const directions = {
  north: [0, 1, 0],
  'north-east': [1, 1, 0],
  east: [1, 0, 0],
  'south/west': [-1, -1, 0.5],
}

export const smoke: Command = {
  description: 'Check a running server as a throw-away user',
  args: {
    url: { type: 'string', description: 'Where the server is, such as http://localhost:8880' },
    'data-dir': {
      type: 'string',
      description: 'Folder with admin.key, when SERVICE_ADMINKEY is not given',
    },
  },
  async run({ values }, env) {
    const { url = env['SEMBLANCE_URL'], 'data-dir': folder } = values
    if (url === undefined || !URL.canParse(url) || !/^https?:/.test(url)) {
      throw new StartupError('--url (or SEMBLANCE_URL) must be the http or https URL of a server')
    }
    const { key, file } = findAdminKey(env, url, folder)
    if (file !== undefined) await print(`With the administrator key in ${file}\n`)
    await checkServer(url, key)
    await print(`${url} passed the smoke test\n`)
  },
}

/**
 * Walks through the service as a throw-away user. Everything that this creates is removed again,
 * even if a step fails.
 * @throws StartupError that says what was wrong
 */
async function checkServer(url: string, adminKey: string): Promise<void> {
  const user = `smoke-${randomBytes(6).toString('hex')}`
  const [registration, ...checks] = stepsOf(user)
  const account = await run(url, registration, adminKey)
  const removal: Step = [
    'clean up',
    [`DELETE /v1/users/${user}`, 200],
    [`GET /v1/users/${user}`, 404],
  ]
  try {
    for (const check of checks) await run(url, check, Object(account).api_key)
    await run(url, ['refuse strangers', [`GET /v1/embeddings/${user}/texts`, 401]])
  } catch (failure) {
    // The first failure is reported, even if cleaning up fails as well.
    await run(url, removal, adminKey).catch(() => {})
    throw failure
  }
  await run(url, removal, adminKey)
}

/** A request, the status of its answer, and what the answer must have; it may have more. */
type Exchange = [request: string, status: number, body?: object | undefined, answer?: object]
type Step = [name: string, ...Exchange[]]

function stepsOf(user: string): [Step, ...Step[]] {
  const instance = {
    endpoint: 'https://provider-a.example/v1/embeddings',
    api_standard: 'provider-a',
    model: 'smoke',
    dimensions: 3,
    api_key_encrypted: providerKey,
  }
  const project = { project_handle: 'texts', instance_owner: user, instance_handle: 'model' }
  const embeddings = Object.entries(directions).map(([text_id, vector]) => ({
    text_id,
    instance_handle: 'model',
    vector,
    vector_dim: 3,
    text: `to the ${text_id}`,
    metadata: { axis: { long: text_id.length > 5 } },
  }))
  const uploads = `/v1/embeddings/${user}/texts`
  const similars = `/v1/similars/${user}/texts`
  const filter = 'metadata_path=axis.long&metadata_value=true'
  const near = ['east', 'north'].map((id) => ({ id, similarity: Math.SQRT1_2 }))
  const same = [{ id: 'east', similarity: 1 }]
  return [
    ['register a user', ['POST /v1/users', 201, { user_handle: user }, { user_handle: user }]],
    ['configure an instance', [`PUT /v1/llm-services/${user}/model`, 201, instance]],
    ['create a project', [`POST /v1/projects/${user}`, 201, project, { public_read: false }]],
    [
      'upload embeddings',
      [`POST ${uploads}`, 201, { embeddings }, { uploaded: { length: embeddings.length } }],
      [`POST ${uploads}`, 409, { embeddings }],
    ],
    [
      'read an embedding',
      [`GET ${uploads}/south%2Fwest`, 200, undefined, { ...embeddings.at(-1) }],
    ],
    [
      'search by text_id',
      [`GET ${similars}/north-east?threshold=0.5`, 200, undefined, { results: near }],
    ],
    [
      'search by vector',
      [`POST ${similars}?threshold=0.5&${filter}`, 200, { vector: [2, 0, 0] }, { results: same }],
    ],
    [
      'refuse what is wrong',
      [`POST ${similars}`, 400, { vector: [1, 2] }],
      [`GET /v1/users/${user}-other`, 403],
    ],
  ]
}

/** Runs a step and says how long it took. @returns the last answer */
async function run(url: string, [name, ...exchanges]: Step, key?: string): Promise<unknown> {
  const start = performance.now()
  let answer: unknown
  for (const exchange of exchanges) answer = await ask(url, exchange, key)
  await print(`ok ${name} (${(performance.now() - start).toFixed(0)} ms)\n`)
  return answer
}

async function ask(url: string, exchange: Exchange, key?: string): Promise<unknown> {
  const [request, status, body, expected = {}] = exchange
  const [method = '', path = ''] = request.split(' ')
  const failure = (what: string) =>
    new StartupError(`the server failed the smoke test: ${request}: ${what}`)
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      'Content-Type': 'application/json',
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error) => {
    throw failure(`no answer from ${url} (${Object(error.cause).message || error.message})`)
  })
  const answer: unknown = await response.json().catch(() => 'no JSON')
  const text = JSON.stringify(answer)
  const shown = text.slice(0, 200)
  if (response.status !== status) {
    throw failure(`status ${response.status} instead of ${status}: ${shown}`)
  }
  const wanted = status < 400 ? expected : { status }
  if (!has(answer, wanted)) throw failure(`${shown} instead of ${JSON.stringify(wanted)}`)
  if (text.includes(providerKey)) throw failure("the answer holds the provider's key")
  return answer
}

/** Whether a JSON value has everything that is expected of it. */
function has(value: unknown, expected: unknown): boolean {
  if (typeof expected === 'number') return Math.abs(Number(value) - expected) < tolerance
  if (typeof expected !== 'object' || expected === null) return value === expected
  if (Array.isArray(expected) && Object(value).length !== expected.length) return false
  return Object.entries(expected).every(([name, each]) => has(Object(value)[name], each))
}
