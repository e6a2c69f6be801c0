import { describe, expect, it } from 'vitest'
import { losses } from '../../support/authorization/losses.ts'
import { call } from '../../support/client.ts'
import { textIdsIn } from '../../support/data/embeddings.ts'
import { setScheme } from '../../support/data/metadata.ts'
import { unwatchedApp } from '../../support/exports.ts'
import { embedding, newProject, type Project } from '../../support/factories.ts'
import { counted, ndjson, postLines, sendLines, slowBody } from '../../support/ndjson.ts'

const lines = (from: number, count: number) =>
  ndjson(...Array.from({ length: count }, (_, n) => embedding(`t${from + n}`, [1, n, 3])))
const countIn = async (project: Project) =>
  (await call('GET', project.path(), project.owner)).body.embedding_count

/** Sends as it is told, on an app whose answers nobody else reads. */
async function begin(
  project: Project,
  from: string,
  sending: Parameters<typeof postLines>[2] = {},
) {
  const { app } = await unwatchedApp()
  const request = slowBody()
  request.send(from)
  const answer = await postLines(project, request.body, { app, ...sending })
  const reader = answer.body?.getReader()
  const next = async () => {
    const { value } = (await reader?.read()) ?? {}
    return value && JSON.parse(new TextDecoder().decode(value))
  }
  return { ...request, answer, next }
}

describe('an upload of lines', () => {
  it('is answered while it comes in', async () => {
    const project = await newProject()
    const { send, end, next } = await begin(project, lines(0, 1_200))
    expect(await next()).toEqual(counted(1_000, 1_000))
    expect(await countIn(project)).toBe(1_000)
    send(lines(1_200, 800))
    expect(await next()).toEqual(counted(2_000, 2_000))
    send(lines(2_000, 1))
    end()
    expect(await next()).toEqual(counted(2_001, 2_001))
    expect(await next()).toEqual({ done: true, ...counted(2_001, 2_001) })
    expect(await next()).toBe(undefined)
  })

  it('is stored also when nobody reads the answer before its end', async () => {
    const project = await newProject()
    const { end, next } = await begin(project, lines(0, 5_000))
    end()
    await expect.poll(() => countIn(project)).toBe(5_000)
    for (let n = 1; n <= 5; n += 1) expect(await next()).toEqual(counted(1_000 * n, 1_000 * n))
    expect(await next()).toEqual({ done: true, ...counted(5_000, 5_000) })
  })

  it('stores nothing of what was on its way when the client goes', async () => {
    const project = await newProject()
    const { breakOff, next } = await begin(project, lines(0, 1_300))
    expect(await next()).toEqual(counted(1_000, 1_000))
    breakOff()
    expect(await next()).toMatchObject({ error: { status: 400 }, ...counted(1_000, 1_000) })
    expect(await countIn(project)).toBe(1_000)
  })

  it('skips or replaces a text_id that comes again, as if it had been there', async () => {
    const project = await newProject()
    const body = ndjson(
      embedding('a', [1, 1, 1]),
      embedding('b', [1, 1, 2]),
      embedding('a', [2, 1, 1]),
    )
    const replaced = await sendLines(project, body, { query: 'on_conflict=replace' })
    expect(replaced.last).toEqual({ done: true, ...counted(3, 2, { replaced: 1 }) })
    const skipped = await sendLines(project, body, { query: 'on_conflict=skip' })
    expect(skipped.last).toEqual({ done: true, ...counted(3, 0, { skipped: 3 }) })
    const { problem, last } = await sendLines(project, body)
    expect([problem.status, last?.stored ?? 0]).toEqual([409, 0])
  })

  it.each(Object.entries(losses))('ends when %s is gone', async (_, lose) => {
    const { project, key = '', end, status } = await lose(newProject, 'write')
    const { send, next } = await begin(project, lines(0, 1_000), { by: { handle: '', key } })
    expect(await next()).toEqual(counted(1_000, 1_000))
    await end()
    send(lines(1_000, 1_000))
    expect(await next()).toMatchObject({ error: { status }, ...counted(1_000, 1_000) })
    if (status === 403) expect(await countIn(project)).toBe(1_000)
  })

  it('obeys a metadataScheme that is set meanwhile', async () => {
    const project = await newProject()
    const { send, next } = await begin(project, lines(0, 1_000))
    expect(await next()).toEqual(counted(1_000, 1_000))
    expect((await setScheme(project, { required: ['n'] })).status).toBe(200)
    send(lines(1_000, 1_000))
    expect(await next()).toMatchObject({ error: { status: 400 }, line: 1_001 })
    expect(await countIn(project)).toBe(1_000)
  })

  it('goes on in a project that is emptied', async () => {
    const project = await newProject()
    const { send, next } = await begin(project, lines(0, 1_000))
    await next()
    await call('DELETE', project.path('embeddings'), project.owner)
    send(lines(1_000, 1_000))
    expect(await next()).toEqual(counted(2_000, 2_000))
    expect(await countIn(project)).toBe(1_000)
    expect((await textIdsIn(project)).every((id) => id.length === 5)).toBe(true)
  })
})
