import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { describe, expect, it } from 'vitest'
import { oneRow } from '../../src/db/columns.ts'
import type { Db, Transaction } from '../../src/db/database.ts'
import { createStatements, type Query } from '../../src/similars/statements.ts'
import { testApp } from '../support/app.ts'
import { collectionOf, indexNames, projectOf, structured } from '../support/indexed.ts'

const dimensions = 96
const documents = structured(1_200, dimensions)

async function indexedProject() {
  const project = await projectOf(documents)
  const collectionId = await collectionOf(project)
  const query: Query = {
    collectionId,
    source: { vector: JSON.stringify(documents[0]?.vector) },
    dimensions,
    threshold: 0.5,
    exclude: { path: ['ref', 'book'], value: 'book 1' },
    includeSelf: true,
  }
  const names = (await indexNames()).filter((name) => name.includes(`_${collectionId}_`))
  expect(names).toHaveLength(1)
  return { collectionId, query, name: names[0] ?? '' }
}

const literal = (value: unknown) =>
  value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`

/**
 * The plan that a prepared statement has once it was executed more often than PostgreSQL plans for
 * the parameters at hand.
 */
async function planOf(search: (db: Db) => Promise<unknown>): Promise<string> {
  const { database } = await testApp()
  return database.short.transaction(async (tx) => {
    const plans: string[] = []
    await search(
      drizzle(async (text, params) => {
        plans.push(await prepareAndExplain(tx, text, params))
        return { rows: [] }
      }),
    )
    return plans.join('\n')
  })
}

async function prepareAndExplain({ db }: Transaction, text: string, params: unknown[]) {
  await db.execute(sql`set local enable_seqscan = off`)
  await db.execute(sql.raw(`prepare plan_to_see as ${text}`))
  const run = `execute plan_to_see(${params.map(literal).join(', ')})`
  for (let time = 0; time < 7; time += 1) await db.execute(sql.raw(run))
  const lines: unknown = await db.execute(sql.raw(`explain (costs off) ${run}`))
  await db.execute(sql`deallocate plan_to_see`)
  return JSON.stringify(lines)
}

describe('the plan of a search', () => {
  it('that is exact reads the rows of its project by the primary key and no other index', async () => {
    const { query } = await indexedProject()
    const plan = await planOf((db) =>
      createStatements(db).exactly(query, { limit: 10, offset: 20 }),
    )
    expect(plan).toContain('embeddings_collection_id_text_id_pk')
    expect(plan).not.toContain('embeddings_hnsw')
    expect(plan).not.toContain('Seq Scan')
  })

  it("that is approximate walks its project's index and sorts no project", async () => {
    const { query, collectionId, name } = await indexedProject()
    const index = { collectionId, dimensions, kind: 'halfvec', vectors: documents.length } as const
    const effort = { efSearch: 100, candidates: 50 }
    const had = [documents[1]?.text_id ?? '']
    for (const ids of [[], had]) {
      const plan = await planOf((db) => createStatements(db).byIndex(query, index, effort, 10, ids))
      expect(plan).toContain(`Index Scan using ${name}`)
      expect(plan).not.toContain('embeddings_collection_id_text_id_pk')
      expect(plan).toContain('One-Time Filter')
    }
  })

  it('changes no setting of the connection', async () => {
    const { database } = await testApp()
    const { query, collectionId } = await indexedProject()
    const index = { collectionId, dimensions, kind: 'halfvec', vectors: documents.length } as const
    await createStatements(database.search.db).byIndex(
      query,
      index,
      { efSearch: 321, candidates: 50 },
      10,
    )
    const [row] = await database.search.db
      .select({ efSearch: sql<string>`current_setting('hnsw.ef_search')` })
      .from(oneRow)
    expect(row?.efSearch).toBe('40')
  })
})
