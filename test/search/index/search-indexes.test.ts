import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { indexName } from '../../../src/db/index-name.ts'
import { buildIndex } from '../../../src/search/index/catalog.ts'
import { testApp } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import {
  add,
  collectionOf,
  indexNames,
  longDimensions,
  look,
  lookTwice,
  modeOf,
  part,
  projectOf,
  structured,
} from '../../support/data/indexed.ts'
import { searchFrom } from '../../support/data/similars.ts'
import type { Project } from '../../support/factories.ts'
import { isOnCitus } from '../../support/servers/postgres-place.ts'

const dimensions = longDimensions
const documents = structured(24 * part, dimensions)
const [first = { text_id: '', vector: [] }] = documents
const search = async (project: Project) => modeOf(await searchFrom(project, first.text_id))

/** The indexes of one project, by what there is in the catalog. */
async function indexesOf(project: Project): Promise<string[]> {
  const prefix = `embeddings_hnsw_${await collectionOf(project)}_`
  return (await indexNames()).filter((name) => name.startsWith(prefix))
}

describe('the index of a large project', () => {
  it.skipIf(isOnCitus())(
    'comes with one on the metadata, which is built anew where it is broken',
    async () => {
      const project = await projectOf(documents)
      const { db } = (await testApp()).database.short
      const collectionId = await collectionOf(project)
      const name = indexName({ collectionId, dimensions, kind: 'metadata' })
      const isValid = async () => {
        const [row] = await db
          .select({ valid: sql<boolean>`indisvalid` })
          .from(sql`pg_index`)
          .where(sql`indexrelid = to_regclass(${name})`)
        return row?.valid
      }
      expect(await isValid()).toBe(true)
      const filter = JSON.stringify({ 'ref.book': 'book 1' })
      const search = async () =>
        (await searchFrom(project, first.text_id, { filter, threshold: 0 })).body.results
      const before = await search()
      expect(before).toHaveLength(10)
      await db.execute(
        sql`update pg_index set indisvalid = false where indexrelid = to_regclass(${name})`,
      )
      expect(await search()).toEqual(before)
      await look()
      expect(await isValid()).toBe(true)
      expect(await search()).toEqual(before)
      await remove(project, 5, 24)
      await look()
      expect(await isValid()).toBeUndefined()
    },
  )

  it.skipIf(isOnCitus())('is not followed by one on the metadata of a small project', async () => {
    const large = await projectOf(documents)
    const small = await projectOf(documents.slice(0, part))
    const { db } = (await testApp()).database.maintenance
    const forms = await Promise.all(
      [large, small].map(async (project) => ({
        collectionId: await collectionOf(project),
        dimensions,
        kind: 'metadata' as const,
      })),
    )
    const names = forms.map(indexName)
    for (const form of forms) await buildIndex(db, form, 1, 'one')
    // As PostgreSQL names one that an operator makes.
    const others = `embeddings_metadata_idx${forms[0]?.collectionId}`
    await db.execute(
      sql.raw(`create index ${others} on embeddings (text_id) where collection_id = 0`),
    )
    const there = async () => {
      const rows = await db
        .select({ name: sql<string>`relname` })
        .from(sql`pg_class`)
        .where(sql`relname in ${[...names, others]}`)
      return rows.map(({ name }) => name)
    }
    expect((await there()).toSorted()).toEqual([...names, others].toSorted())
    await look()
    expect((await there()).toSorted()).toEqual([names[0], others].toSorted())
    await db.execute(sql.raw(`drop index ${others}`))
    expect(await search(large)).toBe('approximate')
  })

  it('serves what is added later, and no longer what is deleted', async () => {
    const project = await projectOf(documents)
    await add(project, [{ text_id: 'twin', vector: first.vector }])
    const [found] = (await searchFrom(project, first.text_id)).body.results
    expect(found).toEqual({ id: 'twin', similarity: expect.closeTo(1, 5) })
    await call('DELETE', `${project.path('embeddings')}/twin`, { key: project.owner.key })
    const answer = await searchFrom(project, first.text_id)
    expect(modeOf(answer)).toBe('approximate')
    expect(answer.body.results.map(({ id }: { id: string }) => id)).not.toContain('twin')
  })

  it('takes vectors of every length that can be stored', async () => {
    const project = await projectOf(documents)
    await add(project, [
      { text_id: 'long', vector: first.vector.map((value) => value * 1e12) },
      { text_id: 'short', vector: first.vector.map((value) => value * 1e-12) },
    ])
    const { body } = await searchFrom(project, first.text_id, { limit: 2 })
    const ids = body.results.map(({ id }: { id: string }) => id)
    expect(ids.toSorted()).toEqual(['long', 'short'])
  })

  it('is built again when somebody has dropped it; until then the search is exact', async () => {
    const { database } = await testApp()
    const project = await projectOf(documents)
    const [name = ''] = await indexesOf(project)
    await database.short.db.execute(`drop index if exists ${name}`)
    await look()
    expect(await indexesOf(project)).toEqual([name])
    expect(await search(project)).toBe('approximate')
  })

  it('serves no vectors of other dimensions, which came when all others had been deleted', async () => {
    const long = Array.from({ length: 30 }, (_, at) => ({
      text_id: `long ${at}`,
      vector: Array.from({ length: 4_001 }, (_, column) => Math.sin(at * column + 1)),
    }))
    const project = await projectOf(long)
    const { key, handle } = project.owner
    for (const { text_id } of long) {
      await call('DELETE', `${project.path('embeddings')}/${encodeURIComponent(text_id)}`, { key })
    }
    const instance = `/v1/llm-services/${handle}/model`
    expect((await call('PATCH', instance, { key, body: { dimensions } })).status).toBe(200)
    await add(project, documents)
    expect(await search(project)).toBe('exact')
    await lookTwice()
    expect(await search(project)).toBe('approximate')
    expect(await indexesOf(project)).toEqual([expect.stringMatching(`_${dimensions}$`)])
  })
})

/** Deletes documents by their parts in `documents`. */
async function remove(project: Project, from: number, to: number): Promise<void> {
  const { key } = project.owner
  for (const { text_id } of documents.slice(from * part, to * part)) {
    const path = `${project.path('embeddings')}/${encodeURIComponent(text_id)}`
    expect((await call('DELETE', path, { key })).status).toBe(200)
  }
}
