import { call } from '../client.ts'
import { addProject, embedding, newInstance, newUser, type Project, upload } from '../factories.ts'
import { watch } from '../secrets/watch.ts'
import { startProvider } from '../servers/embedding-provider.ts'
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

/** Such a project with a provider of its own. */
export async function projectWithProvider(...fields: object[]) {
  const provider = await startProvider()
  return { provider, project: await projectAt(provider, ...fields) }
}

/** The same with embeddings. */
export async function compassWithProvider(...fields: object[]) {
  const { provider, project } = await projectWithProvider(...fields)
  await upload(project, ...compass)
  return { provider, project }
}

export const patch = (project: Project, body: object) =>
  call('PATCH', project.path(), { key: project.owner.key, body })

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
