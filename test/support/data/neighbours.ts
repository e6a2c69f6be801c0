import { expect } from 'vitest'
import { createSealer } from '../../../src/secrets/sealing.ts'
import { createApp } from '../../../src/server/app.ts'
import type { AppDependencies } from '../../../src/server/app-dependencies.ts'
import { appSettings, testApp } from '../app.ts'
import { call } from '../client.ts'
import type { Project } from '../factories.ts'
import { watch } from '../secrets/watch.ts'
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
  expect(text.endsWith('\n')).toBe(true)
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
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

/**
 * One more app on the same database, whose answers are read by nobody but the test: what searches the
 * answers of the others for secrets reads them whole.
 */
export async function unwatchedApp(settings: Partial<AppDependencies> = {}) {
  const { database } = await testApp()
  const sealer = createSealer('a-key-of-which-nothing-is-sealed-32')
  return createApp({ ...appSettings, database, sealer, log: watch.log(), ...settings }).app
}

type App = Awaited<ReturnType<typeof unwatchedApp>>

/** An answer of which nothing is read yet. */
export async function beginNeighbours(
  app: App,
  project: Project,
  key: string | undefined,
  body: object = {},
  signal?: AbortSignal,
): Promise<Response> {
  const url = `http://localhost:8880${project.path('similars')}/neighbours`
  return app.request(url, {
    method: 'POST',
    headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}
