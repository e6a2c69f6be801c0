import { expect } from 'vitest'
import { asAdmin, call } from '../client.ts'
import { addProject, embedding, newInstance, newUser, type Project, unique } from '../factories.ts'
import { watch } from '../secrets/watch.ts'
import { providerKey } from '../servers/provider-answers.ts'
import { type Asker, search } from './similars.ts'

watch.secrets.add(providerKey)

const lines = { 'Content-Type': 'application/x-ndjson' }

/** In the directions that the provider of a test gives their names. */
export const compass = [embedding('n', [0, 1]), embedding('e', [1, 0]), embedding('ne', [1, 1])]

/** A project `texts` of a new user, whose instance has its provider at this URL. */
export async function projectAt(
  { url }: { readonly url: string },
  fields: object = { text_queries: 'members' },
  instance: object = {},
): Promise<Project> {
  const owner = await newUser('owner')
  const provider = { endpoint: url, dimensions: 2, api_key_encrypted: providerKey }
  await newInstance(owner, { ...provider, ...instance })
  return addProject(owner, 'texts', fields)
}

/** An API standard for providers that are asked in this form. @returns its handle */
export async function newStandard(request_format: string, key_method = 'auth_bearer') {
  const api_standard_handle = unique('standard')
  const key_field = key_method === 'auth_bearer' ? 'Authorization' : 'key'
  const body = { api_standard_handle, description: '', key_method, key_field, request_format }
  expect(await asAdmin('POST', '/v1/api-standards', { body })).toMatchObject({ status: 201, body })
  return api_standard_handle
}

export const ask = (project: Project, text: string, asker?: Asker) =>
  search(project, { text }, asker)

export const send = (
  project: Project,
  embeddings: readonly object[],
  query = 'embed=true',
  { key }: Asker = project.owner,
) => call('POST', `${project.path('embeddings')}?${query}`, { key, body: { embeddings } })

export const sendLines = (
  project: Project,
  items: readonly object[],
  { key }: Asker = project.owner,
) =>
  call('POST', `${project.path('embeddings')}?embed=true`, {
    ...{ key, raw: items.map((item) => JSON.stringify(item)).join('\n'), headers: lines },
  })

export async function vectorsOf(project: Project): Promise<Record<string, number[]>> {
  const { body } = await call('GET', project.path('embeddings'), { key: project.owner.key })
  return Object.fromEntries(
    body.embeddings.map(({ text_id, vector }: { text_id: string; vector: number[] }) => [
      ...[text_id, vector],
    ]),
  )
}
