import { describe, expect, it } from 'vitest'
import { createExactly } from '../../../src/search/exactly.ts'
import { createIndexSearch } from '../../../src/search/index/index-search.ts'
import { createInPieces } from '../../../src/search/pieces.ts'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { testApp } from '../../support/app.ts'
import { collectionOf, projectOf, structured } from '../../support/data/indexed.ts'
import { newQuery } from '../../support/data/query.ts'
import { byBytes } from '../../support/data/vectors.ts'

const dimensions = 96
const alike = 300

/** Vectors of which half precision cannot say which one is nearest to a vector beside them. */
function nearlyEqual() {
  const random = randomNumbers(5)
  const around = () => random() - 0.5
  const centre = Array.from({ length: dimensions }, around)
  return Array.from({ length: alike }, (_, index) => ({
    text_id: `alike${index}`,
    vector: centre.map((value) => value + 2e-4 * around()),
  }))
}

async function project() {
  const documents = [...nearlyEqual(), ...structured(900, dimensions, 21)]
  const collectionId = await collectionOf(await projectOf(documents))
  const beside = documents[0]?.vector.map((value, index) => value + (index % 2 ? 0.3 : -0.2))
  const query = newQuery({ collectionId, dimensions }, beside)
  // As many as are searched hard.
  const state = { collectionId, dimensions, vectors: 2 ** 20, revision: 1, history: '' }
  const { database } = await testApp()
  const { db } = database.search
  const exactly = createExactly(db, createInPieces(db, database))
  const rankByIndex = createIndexSearch(db, exactly)
  const rank = async (offset: number, limit: number) => {
    const page = { offset, limit }
    const search = { query, page, collection: state, minRecall: undefined, canScan: true }
    const ranking = await rankByIndex({ ...search, index: 'halfvec_l2' })
    if (ranking === undefined) throw new Error('the index has found nothing')
    return ranking
  }
  return { rank }
}

describe('a page that several searches have filled', () => {
  it('is in order, and repeats nothing of the pages before', async () => {
    const { rank } = await project()
    const seen: string[] = []
    for (const limit of [40, 40, 200, 200, 200, 100]) {
      const { results } = await rank(seen.length, limit)
      expect(results).toEqual(
        results.toSorted(
          (a, b) => (b.similarity ?? 0) - (a.similarity ?? 0) || byBytes(a.id, b.id),
        ),
      )
      seen.push(...results.map(({ id }) => id))
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((id) => id.startsWith('alike'))).toHaveLength(alike)
  })
})
