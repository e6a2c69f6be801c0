import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { grantedForMs } from '../../../src/http/stream-answer.ts'
import { losses, unpublished } from '../../support/authorization/losses.ts'
import { ask, projectOfLongTexts, unwatchedApp } from '../../support/exports.ts'
import { giveAway, newSharee, type Project } from '../../support/factories.ts'

/** Whose answers are of several parts. */
const filledProject = (fields: object = {}) => projectOfLongTexts(100, fields)

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

const readers = Object.entries({ ...losses, public_read: unpublished })

describe('an answer that is read slowly', () => {
  it.each(readers)('is cut when %s is gone: exports and maps', async (_, lose) => {
    const { app } = await unwatchedApp()
    const cut = async (ask: Ask) => {
      const { project, key, end, kind } = await lose(filledProject, 'read')
      const answer = await ask(project, key, app)
      const { error } = await readAround(answer, end)
      expect(error).toMatchObject({ kind })
    }
    await Promise.all([exportsAs('ndjson'), map].map(cut))
  })

  it.each(readers)('ends with an error when %s is gone: neighbours', async (_, lose) => {
    const { app } = await unwatchedApp()
    const { project, key, end, status } = await lose(filledProject, 'read')
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
    const project = await filledProject()
    const { key } = project.owner
    for (const ask of [exportsAs('ndjson'), neighbours]) {
      const { error, text } = await readAround(await ask(project, key, app), async () => {})
      expect(error).toBeUndefined()
      expect(text).toContain('t99')
    }
  })
})
