import { expect } from 'vitest'
import type { TestApp } from '../app.ts'
import { call } from '../client.ts'
import { ask, valuesOf } from '../exports.ts'
import type { Project } from '../factories.ts'
import type { Result } from './similars.ts'

export interface NeighboursRow {
  readonly id: string
  readonly neighbours: Result[]
}

/** What an answer says in its last line. */
export interface Ending {
  readonly done?: true
  readonly embeddings?: number
  readonly mode?: string
  readonly error?: { readonly status: number; readonly title: string; readonly detail: string }
}

export function readLines(text: string): { rows: NeighboursRow[]; last: Ending } {
  const lines = valuesOf(text)
  const last = lines.pop()
  return { rows: lines.filter((line) => !('progress' in line)), last }
}

/** The whole answer to the project's owner, which must be complete. */
export async function neighboursOf(project: Project, body: object = {}) {
  const { key } = project.owner
  const answer = await call('POST', `${project.path('similars')}/neighbours`, { key, body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
  const { rows, last } = readLines(answer.body)
  expect(last).toEqual({ done: true, embeddings: rows.length, mode: 'exact' })
  return rows
}

/** The text_ids of an answer: `{a: ['b'], b: []}`. */
export async function idsOfNeighbours(project: Project, body: object = {}) {
  const rows = await neighboursOf(project, body)
  return Object.fromEntries(rows.map(({ id, neighbours }) => [id, neighbours.map((one) => one.id)]))
}

/** An answer of which nothing is read yet. */
export function beginNeighbours(
  app: TestApp['app'],
  project: Project,
  key: string | undefined,
  body: object = {},
  signal?: AbortSignal,
): Promise<Response> {
  const init = { method: 'POST', body: JSON.stringify(body), ...(signal && { signal }) }
  return ask(`${project.path('similars')}/neighbours`, key, app, init)
}
