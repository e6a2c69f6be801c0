import { call } from '../client.ts'
import { embedding, newProject, type Project, upload } from '../factories.ts'

/** A project with an embedding of each text_id. */
export async function newProjectOf(...textIds: string[]): Promise<Project> {
  const project = await newProject()
  await upload(project, ...textIds.map((textId) => embedding(textId, [1, 2, 3])))
  return project
}

/** Sends a batch as the project's owner; unlike `upload` it may be refused. */
export const send = (project: Project, ...embeddings: unknown[]) =>
  call('POST', project.path('embeddings'), { key: project.owner.key, body: { embeddings } })

/** The same with items written as JSON text, for what JSON.stringify cannot write. */
export function sendText(project: Project, ...items: string[]) {
  const raw = `{"embeddings":[${items.join()}]}`
  const body: unknown = JSON.parse(raw)
  return call('POST', project.path('embeddings'), { key: project.owner.key, raw, body })
}

/** An item as JSON text, some of its fields given as JSON text too. */
export function itemText(text_id: string, fields: Record<string, string>): string {
  const all: Record<string, string> = {
    text_id: JSON.stringify(text_id),
    instance_handle: '"model"',
    vector: '[1,2,3]',
    vector_dim: '3',
    ...fields,
  }
  return `{${Object.entries(all).map(([name, value]) => `"${name}":${value}`)}}`
}

/** The path of one embedding below `embeddings` or `similars`. */
export const pathTo = (project: Project, textId: string, collection = 'embeddings') =>
  `${project.path(collection)}/${encodeURIComponent(textId)}`

/** The collection's path with the text_id as a query parameter. */
export const queryFor = (project: Project, textId: string, collection = 'embeddings') =>
  `${project.path(collection)}?text_id=${encodeURIComponent(textId)}`

/** Reads as the project's owner. */
export const read = (project: Project, path: string) =>
  call('GET', path, { key: project.owner.key })

/** What is stored: the text_ids in the order of the list, up to 200. */
export async function textIdsIn(project: Project): Promise<string[]> {
  const { body } = await read(project, `${project.path('embeddings')}?limit=200`)
  return body.embeddings.map(({ text_id }: { text_id: string }) => text_id)
}
