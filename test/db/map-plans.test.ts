import { describe, expect, it } from 'vitest'
import { readTexts } from '../../src/maps/map-answer.ts'
import { testApp } from '../support/app.ts'
import { collectionOf, projectOf, structured } from '../support/data/indexed.ts'
import { plansOf } from '../support/database/plans.ts'

const documents = structured(480, 8)

describe('what a map reads of the texts', () => {
  it('are the rows of the project in the order of the primary key, no others and unsorted', async () => {
    const collectionId = await collectionOf(await projectOf(documents))
    for (const keys of [undefined, ['ref', 'book'], ['none']]) {
      const plans = await plansOf((await testApp()).database, async (db) => {
        for await (const _ of readTexts(db, collectionId, keys)) return
      })
      expect(plans.length).toBeGreaterThan(0)
      for (const { lines } of plans) {
        expect(lines.join('\n')).toMatch(
          /Index (Only )?Scan using embeddings_collection_id_text_id_pk/,
        )
        expect(lines.join('\n')).not.toContain('Sort')
      }
    }
  })
})
