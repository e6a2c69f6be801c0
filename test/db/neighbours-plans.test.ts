import { describe, expect, it } from 'vitest'
import { readTextIds } from '../../src/collections/keys.ts'
import { parseFilter } from '../../src/filters/parse.ts'
import { readVectors } from '../../src/search/memory/read-vectors.ts'
import { testApp } from '../support/app.ts'
import { collectionOf, projectOf, structured } from '../support/data/indexed.ts'
import { plansOf } from '../support/database/plans.ts'

const dimensions = 240
const documents = structured(480, dimensions)
const primaryKey = 'embeddings_collection_id_text_id_pk'

/** Of the first group: the plan is all that comes back. */
async function plansOfFirst(collectionId: number, filter?: object) {
  const wanted = {
    ...{ collectionId, dimensions, different: ['ref', 'book'] },
    filter: filter && parseFilter(filter),
  }
  const plans = await plansOf((await testApp()).database, async (db) => {
    for await (const _ of readVectors(db, wanted)) return
  })
  // The statement before it waits for changes to be visible, and reads no table.
  const ofTable = plans.filter(({ lines }) => lines.some((line) => line.includes(' on embeddings')))
  expect(ofTable).toHaveLength(2)
  return ofTable
}

describe('what all neighbours read', () => {
  it('are the rows of the project in the order of the primary key, no others and unsorted', async () => {
    const collectionId = await collectionOf(await projectOf(documents))
    for (const filter of [undefined, { 'ref.book': 'book 1' }, { text_id: { $gt: 'A' } }]) {
      for (const { scans, lines } of await plansOfFirst(collectionId, filter)) {
        expect(scans).toEqual([{ index: primaryKey, rows: expect.any(Number) }])
        expect(scans[0]?.rows).toBeLessThanOrEqual(documents.length)
        expect(lines.join('\n')).not.toContain('Sort')
      }
    }
  })

  it('are the text_ids alone, where an index is searched', async () => {
    const collectionId = await collectionOf(await projectOf(documents))
    const plans = await plansOf((await testApp()).database, async (db) => {
      for await (const _ of readTextIds(db, collectionId, 'A')) return
    })
    expect(plans).toHaveLength(2)
    for (const { lines } of plans) {
      expect(lines.join('\n')).toMatch(
        /Index (Only )?Scan using embeddings_collection_id_text_id_pk/,
      )
      expect(lines.join('\n')).not.toContain('Sort')
    }
  })
})
