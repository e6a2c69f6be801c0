import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import {
  ask,
  exported,
  exportPath,
  projectOfLongTexts,
  unwatchedApp,
  valuesOf,
} from '../../support/exports.ts'
import { embedding, type Project, upload } from '../../support/factories.ts'

const rows = 1_000
const textId = (n: number) => `t${String(n).padStart(5, '0')}`

/** So large that its export is read in several statements. */
const largeProject = () => projectOfLongTexts(rows, {}, (number) => textId(2 * number))

/** An export whose client has taken the first part. */
async function begun(project: Project) {
  const { app } = await unwatchedApp()
  const answer = await ask(exportPath(project, 'format=semblance'), project.owner.key, app)
  const reader = answer.body?.getReader()
  const first = await reader?.read()
  const chunks = [first?.value ?? new Uint8Array()]
  const rest = async () => {
    for (;;) {
      const part = await reader?.read()
      if (part?.value === undefined) return Buffer.concat(chunks)
      chunks.push(part.value)
    }
  }
  return { rest, leave: () => reader?.cancel() }
}

/** Whatever is kept for snapshots; there must be nothing when none is read. */
async function leftOvers() {
  const { database } = await testApp()
  const triggers = sql`select tgname from pg_trigger where tgname like 'snapshot%'`
  const tables = sql`select relname from pg_class where relname like 'snapshot%'`
  // Between statements only a snapshot holds old rows back; the service's own work may be in a transaction too.
  const sessions = sql`select state from pg_stat_activity where datname = current_database()
    and state like 'idle in transaction%' and backend_xmin is not null`
  const [of, ...others] = await Promise.all(
    [triggers, tables, sessions].map((query) => database.short.db.execute(query)),
  )
  return [of, ...others].flatMap((found) => [...Object.values(Object(found))])
}

describe('an export', () => {
  it('shows one moment, whatever is written while it is read', async () => {
    const project = await largeProject()
    const { key } = project.owner
    const before = await exported(project, 'format=semblance')
    const { rest } = await begun(project)
    // A statement may be under way, whose session is not idle then.
    await expect.poll(leftOvers).not.toEqual([])
    const path = project.path('embeddings')
    // Before and behind what was read, deleted, added, and both in either order.
    for (const n of [0, 2, 600, 1_998]) {
      expect((await call('DELETE', `${path}/${textId(n)}`, { key })).status).toBe(200)
    }
    await upload(project, ...[1, 599, 601, 1_999].map((n) => embedding(textId(n), [9, 9, 9])))
    await upload(project, embedding(textId(600), [8, 8, 8]), embedding(textId(1_998), [8, 8, 8]))
    await call('DELETE', `${path}/${textId(601)}`, { key })
    await call('DELETE', `${path}/${textId(600)}`, { key })
    const changed = sql`update embeddings set text = 'changed' where text_id = ${textId(1_996)}
      and collection_id = (select collection_id from embeddings where text_id = ${textId(1_998)}
        and vector = '[8,8,8]')`
    await (await testApp()).database.short.db.execute(changed)
    expect((await rest()).equals(before)).toBe(true)
    const after = valuesOf(await exported(project))
    expect(after.find(({ text_id }) => text_id === textId(1_996)).text).toBe('changed')
    expect(after).toHaveLength(rows - 4 + 3 + 1)
    await expect.poll(leftOvers).toEqual([])
  })

  it('is whole when the project is emptied and filled again meanwhile', async () => {
    const project = await largeProject()
    const { key } = project.owner
    const before = await exported(project, 'format=semblance')
    const { rest } = await begun(project)
    await call('DELETE', project.path('embeddings'), { key })
    await upload(project, embedding(textId(0), [1, 1, 1]))
    await (await testApp()).cleaner.clean()
    expect((await rest()).equals(before)).toBe(true)
  })

  it('ends with its client', async () => {
    const project = await largeProject()
    const { leave } = await begun(project)
    await leave()
    await expect.poll(leftOvers).toEqual([])
    // And two more find their places.
    const sizes = await Promise.all([exported(project), exported(project)])
    expect(sizes[0]?.equals(sizes[1] ?? Buffer.of())).toBe(true)
  })

  it('lets others search, upload and delete meanwhile', async () => {
    const project = await largeProject()
    const { rest } = await begun(project)
    await sleep(10)
    await upload(project, embedding('new', [1, 2, 3]))
    const path = project.path('similars')
    const found = await call('POST', path, { key: project.owner.key, body: { vector: [1, 2, 3] } })
    expect(found.status).toBe(200)
    expect(valuesOf(await rest()).at(-1)).toMatchObject({ embeddings: rows })
  })
})
