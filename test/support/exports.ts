import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { AppDependencies } from '../../src/server/app-dependencies.ts'
import { serviceOn, type TestApp, testApp } from './app.ts'
import { embedding, newProject, type Project, type User, upload } from './factories.ts'

/** Asks for a file. The client of the other tests takes answers for one JSON value. */
export async function ask(
  path: string,
  key: string | undefined,
  app?: TestApp['app'],
  init: RequestInit = {},
): Promise<Response> {
  const headers = { ...(key !== undefined && { Authorization: `Bearer ${key}` }), ...init.headers }
  return (app ?? (await testApp()).app).request(path, { ...init, headers })
}

export const exportPath = (project: Project, query = '') => `${project.path()}/export?${query}`

export async function exported(
  project: Project,
  query = '',
  by: User = project.owner,
  app?: TestApp['app'],
) {
  const answer = await ask(exportPath(project, query), by.key, app)
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect(answer.status, bytes.toString('utf8', 0, 500)).toBe(200)
  return bytes
}

/** The same app on the same database, whose answers nobody reads to their ends before the test has them. */
export async function unwatchedApp(
  settings: Partial<AppDependencies> = {},
): Promise<Pick<TestApp, 'app' | 'cleaner'>> {
  const { database } = await testApp()
  return serviceOn(database, settings)
}

/** A project of long texts, whose export comes in several parts. */
export async function projectOfLongTexts(
  count: number,
  fields: object = {},
  idOf = (number: number) => `t${number}`,
) {
  const project = await newProject(fields)
  const text = 'x'.repeat(9_000)
  for (let from = 0; from < count; from += 100) {
    const numbers = Array.from({ length: 100 }, (_, index) => from + index)
    await upload(
      project,
      ...numbers.map((number) => embedding(idOf(number), [1, number, 3], { text })),
    )
  }
  return project
}

/** The lines of NDJSON. */
export const linesOf = (bytes: Buffer | string) => {
  const text = bytes.toString()
  expect(text === '' || text.endsWith('\n')).toBe(true)
  return text.split('\n').slice(0, -1)
}

/** What they hold. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into lines of every shape
export const valuesOf = (bytes: Buffer | string): any[] =>
  linesOf(bytes).map((line) => JSON.parse(line))

export const importPath = (project: Pick<Project, 'path'>, query = '') =>
  `${project.path()}/import?${query}`

/** Sends a file; the problem is that of the answer or of its last line. */
export async function importFile(
  project: Project,
  file: Uint8Array,
  query = '',
  headers: Record<string, string> = {},
  app?: TestApp['app'],
) {
  const { key } = project.owner
  const init = { method: 'POST', headers, body: new Uint8Array(file) }
  const answer = await ask(importPath(project, query), key, app, init)
  const bytes = Buffer.from(await answer.arrayBuffer())
  const { status } = answer
  if (status !== 200) return { status, lines: [], problem: JSON.parse(bytes.toString()) }
  const lines = valuesOf(bytes)
  return { status, lines, problem: lines.at(-1).error }
}

/** Lines of a file, the last of which is made anew, so that its SHA-256 fits. */
export function sealed(lines: readonly string[]): Buffer<ArrayBuffer> {
  const text = lines
    .slice(0, -1)
    .map((line) => `${line}\n`)
    .join('')
  const end = {
    ...JSON.parse(lines.at(-1) ?? ''),
    sha256: createHash('sha256').update(text).digest('hex'),
  }
  return Buffer.from(`${text}${JSON.stringify(end)}\n`)
}
