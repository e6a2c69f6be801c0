import { expect } from 'vitest'
import type { TestApp } from './app.ts'
import { testApp } from './app.ts'
import type { Project, User } from './factories.ts'

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

export async function exported(project: Project, query = '', by: User = project.owner) {
  const answer = await ask(exportPath(project, query), by.key)
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect(answer.status, bytes.toString('utf8', 0, 500)).toBe(200)
  return bytes
}

/** The lines of NDJSON. */
export const linesOf = (bytes: Buffer) => {
  const text = bytes.toString()
  expect(text === '' || text.endsWith('\n')).toBe(true)
  return text.split('\n').slice(0, -1)
}

/** What they hold. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into lines of every shape
export const valuesOf = (bytes: Buffer): any[] => linesOf(bytes).map((line) => JSON.parse(line))
