import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { oneRow } from '../../src/db/columns.ts'
import type { Database } from '../../src/db/database.ts'
import { parseFilter } from '../../src/filters/parse.ts'
import { type RowsRequest, readGroup } from '../../src/project-files/rows.ts'
import { testApp } from '../support/app.ts'
import { collectionOf } from '../support/data/indexed.ts'
import { searchPlansOf } from '../support/database/plans.ts'
import { embedding, newProject, upload } from '../support/factories.ts'

const rows = 6_000
const key = 'embeddings_collection_id_text_id_pk'

async function wishFor(filter: RowsRequest['filter']): Promise<RowsRequest> {
  const project = await newProject()
  for (let from = 0; from < rows; from += 2_000) {
    const items = Array.from({ length: 2_000 }, (_, index) =>
      embedding(`t${String(from + index).padStart(5, '0')}`, [1, from + index, 3], {
        metadata: { n: from + index },
      }),
    )
    await upload(project, ...items)
  }
  const collectionId = await collectionOf(project)
  const parts = { text: true, metadata: true, vector: true }
  return { collectionId, dimensions: 3, filter, parts, vectorFormat: 'base64' }
}

/** The plans of both statements, in the middle of the project, while others have changed `changed` rows. */
async function plansFor(database: Database, wish: RowsRequest, changed: number) {
  const { collectionId } = wish
  return database.snapshot(
    async () => wish,
    async (snapshot) => {
      const touch = sql`update embeddings set text = 'changed' where collection_id = ${collectionId}
        and text_id < ${`t${String(changed).padStart(5, '0')}`}`
      await database.short.db.execute(touch)
      const ofBound = await searchPlansOf(database, (db) =>
        db.select({ textId: snapshot.bound('t02999', 1_000) }).from(oneRow),
      )
      const ofRows = await searchPlansOf(database, (db) =>
        readGroup({ ...snapshot, db }, wish, 't02999', 't03999'),
      )
      return [...ofBound, ...ofRows]
    },
  )
}

describe('the statements of an export', () => {
  it.each([
    ['', undefined],
    [' with a filter', parseFilter({ n: { $gte: 3_500 } })],
  ])(
    'read the rows of a range by the primary key%s, also of what others change',
    async (_, filter) => {
      const { database } = await testApp()
      const wish = await wishFor(filter)
      for (const changed of [0, 5_000]) {
        for (const { scans } of await plansFor(database, wish, changed)) {
          expect(scans[0]?.rows).toBe(1_000)
          for (const { index } of scans) expect(index).toBe(key)
        }
      }
    },
  )
})
