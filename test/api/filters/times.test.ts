import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { exported, importFile, linesOf, sealed } from '../../support/exports.ts'
import {
  embedding,
  newProject,
  type Project,
  projectNamed,
  unique,
  upload,
} from '../../support/factories.ts'

const at = (fraction: string) => `2026-11-21T20:25:06.${fraction}Z`
const stored = { a: '122999', b: '123000', c: '123456', d: '123789', e: '124000' }

/** A project whose embeddings are of these times: those of a file are kept. */
async function ofTimes(): Promise<Project> {
  const project = await newProject()
  await upload(project, ...Object.keys(stored).map((id) => embedding(id, [1, 2, 3])))
  const [first = '', ...rest] = linesOf(await exported(project, 'format=semblance'))
  const times = Object.values(stored)
  const lines = rest.map((line, index) =>
    line.replace(/"created_at":"[^"]*"/, `"created_at":"${at(times[index] ?? '')}"`),
  )
  const copy = projectNamed(project.owner, unique('times'))
  expect((await importFile(copy, sealed([first, ...lines]))).problem).toBe(undefined)
  return copy
}

async function kept(project: Project, created_at: unknown): Promise<string> {
  const filter = encodeURIComponent(JSON.stringify({ created_at }))
  const path = `${project.path('embeddings')}?limit=100&filter=${filter}`
  const { status, body } = await call('GET', path, { key: project.owner.key })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.embeddings.map((one: { text_id: string }) => one.text_id).join('')
}

describe('a filter by the time of an embedding', () => {
  it('finds those by the time that a page shows, and nothing of that time behind or before it', async () => {
    const project = await ofTimes()
    const { body } = await call('GET', `${project.path('embeddings')}/c`, {
      key: project.owner.key,
    })
    expect(body.created_at).toBe(at('123'))
    // The same, as programs print it that know microseconds.
    for (const shown of [
      body.created_at,
      at('123000'),
      at('123000001'),
      '2026-11-21T21:25:06.123000+01:00',
    ]) {
      expect(await kept(project, shown)).toBe('bcd')
      expect(await kept(project, { $gt: shown })).toBe('e')
      expect(await kept(project, { $gte: shown })).toBe('bcde')
      expect(await kept(project, { $lt: shown })).toBe('a')
      expect(await kept(project, { $lte: shown })).toBe('abcd')
      expect(await kept(project, { $nin: [shown, at('124')] })).toBe('a')
    }
  })

  it.each([at('123456'), at('123456999'), '2026-11-21T21:25:06.123456+01:00'])(
    'finds one by the time that a file shows: %s',
    async (time) => {
      const project = await ofTimes()
      expect(await kept(project, time)).toBe('c')
      expect(await kept(project, { $in: [time, at('122')] })).toBe('ac')
      expect(await kept(project, { $ne: time })).toBe('abde')
      expect(await kept(project, { $gt: time })).toBe('de')
      expect(await kept(project, { $gte: time })).toBe('cde')
      expect(await kept(project, { $lt: time })).toBe('ab')
      expect(await kept(project, { $lte: time })).toBe('abc')
    },
  )

  it('counts digits that are left out as zeros', async () => {
    const project = await ofTimes()
    expect(await kept(project, { $gt: at('1235') })).toBe('de')
    expect(await kept(project, { $lt: at('12346') })).toBe('abc')
    expect(await kept(project, { $gte: at('1') })).toBe('abcde')
  })
})
