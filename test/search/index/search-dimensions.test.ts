import { sql } from 'drizzle-orm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testApp } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import { collectionOf, modeOf, projectOf, structured } from '../../support/data/indexed.ts'
import { idsOf, searchFrom } from '../../support/data/similars.ts'
import type { Project } from '../../support/factories.ts'

const documents = structured(480, 240)
const [first = { text_id: '', vector: [] }] = documents

/** What no upload can store. */
async function addOthers(project: Project): Promise<void> {
  const { database } = await testApp()
  const id = await collectionOf(project)
  await database.short.db.execute(
    sql.raw(`insert into embeddings (collection_id, vector_dim, text_id, vector)
      values (${id}, 2, 'a', '[1,0]'), (${id}, 2, 'b', '[4,3]'), (${id}, 2, 'c', '[3,4]')`),
  )
  onTestFinished(async () => {
    await call('DELETE', project.path(), { key: project.owner.key })
  })
}

describe('embeddings of other dimensions than the instance of their project', () => {
  it.each([
    ['exactly', documents.slice(0, 9), 'exact'],
    ['by an index', documents, 'approximate'],
  ])('are compared with their like, where the others are searched %s', async (_, stored, mode) => {
    const project = await projectOf(stored)
    await addOthers(project)
    expect(await idsOf(searchFrom(project, 'a', { threshold: 0 }))).toEqual(['b', 'c'])
    expect(await idsOf(searchFrom(project, 'a', { threshold: 0.7 }))).toEqual(['b'])
    expect(await idsOf(searchFrom(project, 'a', { threshold: 0.9 }))).toEqual([])
    const answer = await searchFrom(project, first.text_id, { threshold: 0 })
    expect(modeOf(answer)).toBe(mode)
    expect(answer.body.results.length).toBeGreaterThan(0)
  })
})
