import { expect } from 'vitest'
import { type Answer, call } from '../client.ts'
import type { Project } from '../factories.ts'
import { pathTo } from './embeddings.ts'

export interface Result {
  readonly id: string
  readonly similarity: number
}

export type Query = Readonly<Record<string, string | number>>

const withQuery = (path: string, query: Query) => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) search.set(name, String(value))
  return `${path}?${search}`
}

/** Searches from a stored embedding as the project's owner. */
export const searchFrom = (project: Project, textId: string, query: Query = {}): Promise<Answer> =>
  call('GET', withQuery(pathTo(project, textId, 'similars'), query), { key: project.owner.key })

/** Searches by a vector as the project's owner. */
export const searchBy = (
  project: Project,
  vector: readonly number[],
  query: Query = {},
): Promise<Answer> =>
  call('POST', withQuery(project.path('similars'), query), {
    key: project.owner.key,
    body: { vector },
  })

/** Who asks; undefined for nobody. */
export type Asker = { readonly key: string | undefined }

/** Searches by what is in a body. */
export const search = (project: Project, body: object, { key }: Asker = project.owner) =>
  call('POST', project.path('similars'), { key, body })

export const searchBatch = (project: Project, ...searches: unknown[]) =>
  call('POST', `${project.path('similars')}/batch`, {
    ...{ key: project.owner.key, body: { searches } },
  })

/** What it finds, by whatever way. */
// biome-ignore lint/suspicious/noExplicitAny: results have what is asked for
export async function found(project: Project, options: object): Promise<any[]> {
  const { status, body } = await search(project, options)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.results
}

/** The results of a search that must succeed, and be exact. */
export async function resultsOf(search: Promise<Answer>): Promise<Result[]> {
  const { status, headers, body } = await search
  expect(status, JSON.stringify(body)).toBe(200)
  expect(headers.get('x-search-mode')).toBe('exact')
  return body.results
}

export async function idsOf(search: Promise<Answer>): Promise<string[]> {
  return (await resultsOf(search)).map(({ id }) => id)
}
