import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { grantedForMs } from '../../../src/http/stream-answer.ts'
import { asAdmin, call } from '../../support/client.ts'
import { ask, unwatchedApp } from '../../support/exports.ts'
import {
  embedding,
  giveAway,
  newKey,
  newProject,
  newSharee,
  type Project,
  upload,
} from '../../support/factories.ts'

/** Whose answers are of several parts. */
async function filledProject(fields: object = {}): Promise<Project> {
  const project = await newProject(fields)
  const long = 'x'.repeat(5_000)
  const items = Array.from({ length: 100 }, (_, index) =>
    embedding(`t${index}`, [1, index, 3], { text: long }),
  )
  await upload(project, ...items)
  return project
}

type Ask = (
  project: Project,
  key: string | undefined,
  app: Awaited<ReturnType<typeof unwatchedApp>>['app'],
) => Promise<Response>

const exportsAs =
  (format: string): Ask =>
  ({ path }, key, app) =>
    ask(`${path()}/export?format=${format}`, key, app)
const neighbours: Ask = ({ path }, key, app) =>
  ask(`${path('similars')}/neighbours`, key, app, {
    ...{ method: 'POST', body: '{"k":1}' },
    headers: { 'Content-Type': 'application/json' },
  })
async function map(...[project, key, app]: Parameters<Ask>): Promise<Response> {
  for (;;) {
    const answer = await ask(`${project.path()}/map`, key, app)
    if (answer.status !== 202) return answer
    await answer.body?.cancel()
    await sleep(50)
  }
}

/** Reads a first part, and the others long after `between`. @returns what came, and whether it was cut */
async function readAround(answer: Response, between: () => Promise<unknown>) {
  expect(answer.status).toBe(200)
  const reader = answer.body?.getReader()
  onTestFinished(() => reader?.cancel().catch(() => {}))
  const parts: Uint8Array[] = []
  const read = async () => {
    const part = await reader?.read()
    if (part?.value !== undefined) parts.push(part.value)
    return part?.done !== true
  }
  await read()
  await between()
  await sleep(grantedForMs + 100)
  const text = () => Buffer.concat(parts).toString()
  try {
    while (await read());
  } catch (error) {
    return { error, text: text() }
  }
  return { error: undefined, text: text() }
}

async function unshared() {
  const project = await filledProject()
  const reader = await newSharee(project, 'reader')
  const path = `${project.path()}/share/${reader.handle}`
  const end = () => call('DELETE', path, { key: project.owner.key })
  return { project, key: reader.key, end, kind: 'forbidden', status: 403 }
}

async function unpublished() {
  const project = await filledProject({ public_read: true })
  const body = { public_read: false }
  const end = () => call('PATCH', project.path(), { key: project.owner.key, body })
  return { project, key: undefined, end, kind: 'unauthorized', status: 401 }
}

async function revoked() {
  const project = await filledProject()
  const { owner } = project
  const key = await newKey(owner, { key_handle: 'notebook' })
  const end = () => call('DELETE', `/v1/users/${owner.handle}/keys/notebook`, { key: owner.key })
  return { project, key, end, kind: 'unauthorized', status: 401 }
}

async function withoutUser() {
  const project = await filledProject()
  const { handle, key } = project.owner
  const end = () => asAdmin('DELETE', `/v1/users/${handle}`)
  return { project, key, end, kind: 'unauthorized', status: 401 }
}

async function deleted() {
  const project = await filledProject()
  const { key } = project.owner
  const end = () => call('DELETE', project.path(), { key })
  return { project, key, end, kind: 'not-found', status: 404 }
}

const losses = [
  ['the share', unshared],
  ['public_read', unpublished],
  ['the key', revoked],
  ['the user', withoutUser],
  ['the project', deleted],
] as const

describe('an answer that is read slowly', () => {
  it.each(losses)('is cut when %s is gone: exports and maps', async (_, lose) => {
    const { app } = await unwatchedApp()
    const cut = async (ask: Ask) => {
      const { project, key, end, kind } = await lose()
      const answer = await ask(project, key, app)
      const { error } = await readAround(answer, end)
      expect(error).toMatchObject({ kind })
    }
    await Promise.all([exportsAs('ndjson'), map].map(cut))
  })

  it.each(losses)('ends with an error when %s is gone: neighbours', async (_, lose) => {
    const { app } = await unwatchedApp()
    const { project, key, end, status } = await lose()
    const answer = await neighbours(project, key, app)
    const { error, text } = await readAround(answer, end)
    expect(error).toBeUndefined()
    expect(JSON.parse(text.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ error: { status } })
    expect(text).not.toContain('"done":true')
  })

  it('is cut for who exports a whole project and has given it away', async () => {
    const { app } = await unwatchedApp()
    const project = await filledProject()
    const { key } = project.owner
    const next = await newSharee(project, 'reader')
    const answer = await exportsAs('semblance')(project, key, app)
    const { error } = await readAround(answer, () => giveAway(project, next))
    expect(error).toMatchObject({ kind: 'not-found' })
  })

  it('is whole where nothing was lost', async () => {
    const { app } = await unwatchedApp()
    const { project, key } = await unshared()
    for (const ask of [exportsAs('ndjson'), neighbours]) {
      const { error, text } = await readAround(await ask(project, key, app), async () => {})
      expect(error).toBeUndefined()
      expect(text).toContain('t99')
    }
  })
})
