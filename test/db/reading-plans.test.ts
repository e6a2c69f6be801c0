import { expect, it } from 'vitest'
import { readTextIds } from '../../src/collections/keys.ts'
import type { Db } from '../../src/db/database.ts'
import { parseFilter } from '../../src/filters/parse.ts'
import { readTexts } from '../../src/maps/map-answer.ts'
import { readVectors } from '../../src/search/memory/read-vectors.ts'
import { testApp } from '../support/app.ts'
import { collectionOf, projectOf, structured } from '../support/data/indexed.ts'
import { plansOf } from '../support/database/plans.ts'

const dimensions = 240
const documents = structured(480, dimensions)
const primaryKey = 'embeddings_collection_id_text_id_pk'

type Read = (db: Db, collectionId: number) => AsyncIterable<unknown>

const vectors =
  (filter?: object): Read =>
  (db, collectionId) =>
    readVectors(db, {
      ...{ collectionId, dimensions, different: ['ref', 'book'] },
      filter: filter && parseFilter(filter),
    })
const texts =
  (keys?: readonly string[]): Read =>
  (db, collectionId) =>
    readTexts(db, collectionId, keys)

const cases: [name: string, read: Read][] = [
  ['the vectors for all neighbours', vectors()],
  ['those that a filter keeps', vectors({ 'ref.book': 'book 1' })],
  ['those that a filter of text_ids keeps', vectors({ text_id: { $gt: 'A' } })],
  ['the text_ids whose neighbours an index finds', (db, id) => readTextIds(db, id, 'A')],
  ['the texts of a map', texts()],
  ['those with a field', texts(['ref', 'book'])],
  ['those with a field that none has', texts(['none'])],
]

it.each(cases)(
  '%s are read in the order of the primary key, no others and unsorted',
  async (_, read) => {
    const collectionId = await collectionOf(await projectOf(documents))
    const plans = await plansOf((await testApp()).database, async (db) => {
      // Of the first group: the plan is all that comes back.
      for await (const _ of read(db, collectionId)) return
    })
    // A statement before waits for changes to be visible, and reads no table.
    const ofTable = plans.filter(({ scans }) => scans.length > 0)
    expect(ofTable.length).toBeGreaterThanOrEqual(2)
    for (const { scans, lines } of ofTable) {
      expect(scans).toEqual([{ index: primaryKey, rows: expect.any(Number) }])
      expect(scans[0]?.rows).toBeLessThanOrEqual(documents.length)
      expect(lines.join('\n')).not.toContain('Sort')
    }
  },
)
