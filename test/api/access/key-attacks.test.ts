import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { userKeys } from '../../../src/db/key-schema.ts'
import { adminKey } from '../../support/app.ts'
import { saveTables } from '../../support/database/saved-tables.ts'
import { fill, namesIn, operationsOf, readsByPost } from '../../support/openapi/document.ts'
import { lookUp, member, placeOf } from '../../support/openapi/document-schemas.ts'
import { startOwnService } from '../../support/servers/own-service.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** What a path may name: things of alice, whose keys are tried, of bob, and of nobody. */
const targets = [
  ['alice', 'mine'],
  ['alice', 'other'],
  ['alice', 'missing'],
  ['bob', 'shared'],
  ['bob', 'open'],
  ['bob', 'private'],
  ['bob', 'missing'],
  ['nobody', 'missing'],
] as const

type Service = Awaited<ReturnType<typeof startOwnService>>

interface Attempt {
  readonly method: (typeof methods)[number]
  readonly path: string
  readonly target: string
  readonly body: string | null
  /** Of the operation; undefined where the path has none of this method. */
  readonly id: string | undefined
}

let service: Service
let saved: Awaited<ReturnType<typeof saveTables>>
let attempts: readonly Attempt[]
const keys = new Map<string, string>()

const ask = (method: string, path: string, key: string | undefined, body: string | null = null) =>
  service.app.request(path, {
    method,
    headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
    body: method === 'GET' ? null : body,
  })

async function put(method: string, path: string, body: object, key = adminKey): Promise<string> {
  const answer = await ask(method, path, key, JSON.stringify(body))
  expect(answer.status, path).toBe(201)
  return String(member(await answer.json(), 'api_key'))
}

const item = (instance_handle: string) => ({
  text_id: 'secret-text',
  instance_handle,
  vector: [1, 0, 0],
  vector_dim: 3,
})

async function buildWorld(): Promise<string> {
  const first = await put('PUT', '/v1/users/alice', {})
  await put('PUT', '/v1/users/bob', {})
  const model = { endpoint: 'https://a.example', api_standard: 'provider-a', model: 'm' }
  for (const [user, project] of targets) {
    if (project === 'missing') continue
    const instance = `${user}-${project}`
    await put('PUT', `/v1/llm-services/${user}/${instance}`, { ...model, dimensions: 3 })
    const uses = { instance_owner: user, instance_handle: instance }
    const fields = { ...uses, public_read: project === 'open', description: `about-${project}` }
    await put('PUT', `/v1/projects/${user}/${project}`, fields)
    await put('POST', `/v1/embeddings/${user}/${project}`, { embeddings: [item(instance)] })
  }
  const share = { share_with_handle: 'alice', role: 'editor' }
  await put('POST', '/v1/projects/bob/shared/share', share)
  await put('POST', '/v1/llm-services/bob/bob-shared/share', share)
  return first
}

const kindsOfKeys = () => ({
  read: { access: 'read' },
  'read-mine': { access: 'read', projects: ['alice/mine'] },
  'write-mine': { access: 'write', projects: ['alice/mine'] },
  'write-shared': { access: 'write', projects: ['bob/shared'] },
  'read-open': { access: 'read', projects: ['bob/open'] },
  expired: { access: 'write', expires_at: new Date(Date.now() + 3_600_000).toISOString() },
  revoked: { access: 'write' },
})

function attemptsOf(): Attempt[] {
  const operations = operationsOf(service.document)
  const templates = [...new Set(operations.map(({ template }) => template))]
  return templates.flatMap((template) =>
    (namesIn(template).includes('user') ? targets : targets.slice(0, 1)).flatMap(
      ([user, project]) =>
        methods.map((method) => {
          const found = operations.find(
            (each) => each.template === template && each.method === method,
          )
          const example =
            found &&
            lookUp(
              service.document,
              `${placeOf(found)}/requestBody/content/application~1json/example`,
            )
          const values = {
            ...{
              user,
              project,
              instance: `${user}-${project}`,
              definition: 'mine',
              standard: 'mine',
            },
            ...{ text_id: 'secret-text', grantee: 'alice', key_handle: 'read' },
          }
          return {
            ...{ method, path: fill(template, values), id: found?.id },
            target: namesIn(template).includes('project') ? `${user}/${project}` : '',
            body: found?.declared.requestBody === undefined ? null : JSON.stringify(example ?? {}),
          }
        }),
    ),
  )
}

beforeAll(async () => {
  // Its requests hold as a secret what the document shows as an example.
  service = await startOwnService({}, false)
  const first = await buildWorld()
  for (const [key_handle, fields] of Object.entries(kindsOfKeys())) {
    keys.set(
      key_handle,
      await put('POST', '/v1/users/alice/keys', { key_handle, ...fields }, first),
    )
  }
  await ask('DELETE', '/v1/users/alice/keys/revoked', first)
  // A key can be issued with an end ahead alone.
  await service.database.short.db
    .update(userKeys)
    .set({ expiresAt: new Date(Date.now() - 1_000) })
    .where(eq(userKeys.handle, 'expired'))
  keys.set('unknown', 'smb_nobodys')
  attempts = attemptsOf()
  saved = await saveTables(service.database)
})
afterAll(() => service.close())

/** All answers to a key, in the order of the attempts. */
async function attack(kind: string) {
  const answers = []
  for (const attempt of attempts) {
    const answer = await ask(attempt.method, attempt.path, keys.get(kind), attempt.body)
    answers.push({ ...attempt, status: answer.status, text: await answer.text() })
  }
  return answers
}

const parts = async () => (await saved.digest()).split(' ')

/** The tables that an attack has changed, which are then as they were. */
async function changed(before: readonly string[]) {
  const after = await parts()
  const names = saved.tables.filter((_, index) => before[index] !== after[index])
  await saved.restore()
  return names
}

/** Neither is about anything that has an owner. */
const isOpen = ({ path }: { path: string }) =>
  !/^\/v1\/(users|me|llm|projects|embed|simil)/.test(path)

describe('a key of alice', () => {
  it.each(['expired', 'revoked'])('that is %s is answered as one that nobody has', async (kind) => {
    const before = await parts()
    const answers = await attack(kind)
    expect(await changed(before)).toEqual([])
    expect(answers).toEqual(await attack('unknown'))
    for (const { id, status, path } of answers) {
      if (id !== undefined && !isOpen({ path })) expect(status, `${id} ${path}`).toBe(401)
    }
  })

  it('that may only read changes nothing, and sees nothing of the account', async () => {
    const before = await parts()
    const answers = await attack('read')
    expect(await changed(before)).toEqual([])
    for (const { method, id, status, path } of answers) {
      const reads = method === 'GET' || (id !== undefined && readsByPost.includes(id))
      if (!reads) expect(status, `${method} ${path}`).toBeGreaterThanOrEqual(400)
      if (/\/v1\/users|shared-with|bob\/private/.test(path)) {
        expect(status, `${method} ${path}`).toBeGreaterThanOrEqual(400)
      }
    }
  })

  it.each([
    ['read-mine', 'alice/mine', false],
    ['write-mine', 'alice/mine', true],
    ['write-shared', 'bob/shared', true],
    ['read-open', 'bob/open', false],
  ])('that is limited (%s) reaches %s alone', async (kind, own, writes) => {
    const before = await parts()
    const answers = await attack(kind)
    const tables = await changed(before)
    const ofUploads = ['collection_changes', 'collections', 'embeddings']
    expect(tables.filter((name) => !ofUploads.includes(name))).toEqual([])
    if (!writes) expect(tables).toEqual([])
    for (const { id, target, status, text, path, method } of answers) {
      const what = `${method} ${path}`
      if (target !== '' && target !== own && id !== undefined) expect(status, what).toBe(403)
      if (/\/v1\/(users|llm)|shared-with/.test(path))
        expect(status, what).toBeGreaterThanOrEqual(400)
      if (target === own || status !== 200) continue
      const others = targets.filter(([user, project]) => `${user}/${project}` !== own)
      for (const [, project] of others) expect(text, what).not.toContain(`about-${project}`)
    }
    const outside = answers.filter(({ target, id }) => target !== '' && target !== own && id)
    // What is there and what is not are told apart by nothing.
    for (const id of new Set(outside.map((each) => each.id))) {
      const texts = outside.filter((each) => each.id === id).map(({ text }) => text)
      expect(new Set(texts).size, id).toBe(1)
    }
  })
})
