import { expect } from 'vitest'
import { modelOf } from '../../shared/model.ts'
import { adminKey } from '../app.ts'
import { saveTables } from '../database/saved-tables.ts'
import { member } from '../openapi/document-schemas.ts'
import { watch } from '../secrets/watch.ts'
import type { startOwnService } from '../servers/own-service.ts'

/** Stored by the world, and never sent again. */
const providerKey = 'the-key-that-the-provider-gave-alice'

/** The names of the world by the fields and parameters that take them; the examples' own come first. */
export const namesFor: Readonly<Record<string, readonly [string, ...string[]]>> = {
  ...sameFor(['user', 'instance_owner'], ['alice', 'bob', '_system', 'new-user']),
  ...sameFor(['definition_owner'], ['_system', 'alice', 'new-user']),
  ...sameFor(['user_handle', 'grantee'], ['alice', 'bob', 'new-user']),
  ...sameFor(['share_with_handle', 'new_owner_handle'], ['bob', 'carol', 'alice', 'new-user']),
  ...sameFor(['project', 'project_handle'], ['verses', 'open', 'new-project']),
  ...sameFor(['instance', 'instance_handle'], ['my-model', 'spare', 'new-model']),
  ...sameFor(['definition', 'definition_handle'], ['template', 'provider-a-small', 'new-template']),
  ...sameFor(['standard', 'api_standard_handle'], ['my-provider', 'new-standard', 'provider-a']),
  ...sameFor(['key_handle'], ['notebook', 'new-key']),
  ...sameFor(['projects'], ['alice/verses', 'bob/new-project']),
  ...sameFor(['expires_at'], ['2099-01-31T00:00:00.000Z', '2020-01-31T00:00:00.000Z']),
  ...sameFor(['text_id'], ['matthew-5-3', 'a/b', 'new-text']),
}

function sameFor(fields: readonly string[], names: readonly [string, ...string[]]) {
  return Object.fromEntries(fields.map((field) => [field, names]))
}

export type FuzzWorld = Awaited<ReturnType<typeof buildFuzzWorld>>

/** What the examples of the document speak of: alice's things, and bob who shares them. */
export async function buildFuzzWorld({
  app,
  database,
}: Awaited<ReturnType<typeof startOwnService>>) {
  async function put(method: string, path: string, body: object): Promise<unknown> {
    const headers = { Authorization: `Bearer ${adminKey}` }
    const answer = await app.request(path, { method, headers, body: JSON.stringify(body) })
    expect(answer.status, path).toBe(201)
    return answer.json()
  }
  const keys = []
  for (const user of ['alice', 'bob', 'carol']) {
    keys.push(String(member(await put('PUT', `/v1/users/${user}`, {}), 'api_key')))
  }
  watch.secrets.add(providerKey)
  const model = { ...modelOf(), api_key_encrypted: providerKey }
  await put('PUT', '/v1/llm-services/alice/my-model', model)
  await put('PUT', '/v1/llm-services/alice/spare', modelOf(1536))
  const template = { ...modelOf(), definition_handle: 'template' }
  await put('POST', '/v1/llm-definitions/alice', template)
  const standard = { description: '', key_method: 'none', key_field: '' }
  await put('PUT', '/v1/api-standards/my-provider', standard)
  await put('POST', '/v1/llm-services/alice/my-model/share', asReader('bob'))
  const usingModel = { instance_owner: 'alice', instance_handle: 'my-model' }
  await put('PUT', '/v1/projects/alice/verses', usingModel)
  await put('PUT', '/v1/projects/alice/psalms', usingModel)
  await put('POST', '/v1/projects/alice/verses/share', asReader('bob'))
  const metadataScheme = '{"properties":{"ref":{"type":"object"}}}'
  await put('PUT', '/v1/projects/alice/open', { ...usingModel, public_read: true, metadataScheme })
  const inVerses = { embeddings: [item('matthew-5-3', 0), item('a/b', 1), item('mark-1-11', 2)] }
  await put('POST', '/v1/embeddings/alice/verses', inVerses)
  const inOpen = { embeddings: [item('a/b', 0), item('mark-1-11', 2)] }
  await put('POST', '/v1/embeddings/alice/open', inOpen)

  const notebook = { key_handle: 'notebook', access: 'read', projects: ['alice/verses'] }
  await put('POST', '/v1/users/alice/keys', notebook)

  const saved = await saveTables(database)
  const [alice = '', bob = '', carol = ''] = keys
  return { keys: { alice, bob, carol }, saved, pristine: await saved.digest() }
}

const asReader = (handle: string) => ({ share_with_handle: handle, role: 'reader' })

const item = (text_id: string, seed: number) => ({
  text_id,
  instance_handle: 'my-model',
  vector: [1, seed / 4, -seed / 8],
  vector_dim: 3,
  text: 'A text',
  metadata: { ref: { book: seed > 0 ? 'Mark' : 'Matthew', chapter: seed } },
})
