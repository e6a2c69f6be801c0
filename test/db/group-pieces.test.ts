import { expect, it } from 'vitest'
import { createGroupAll } from '../../src/search/all-groups.ts'
import { createInPieces, type InPieces } from '../../src/search/pieces.ts'
import { randomNumbers } from '../shared/random-numbers.ts'
import { testApp } from '../support/app.ts'
import { collectionOf } from '../support/data/indexed.ts'
import { newQuery } from '../support/data/query.ts'
import { byBytes } from '../support/data/vectors.ts'
import { embedding, newProject, upload } from '../support/factories.ts'

const random = randomNumbers(7)
/** Each group is in every piece; some are as near as others. */
const documents = Array.from({ length: 300 }, (_, at) => {
  const group = `g${at % 40}`
  return { id: `t${at}`, group, away: Math.floor(random() * 150) / 100 }
})

const inThree: InPieces = async function* inThree(_, run) {
  yield* await run('between', { after: '', upTo: 't15' })
  yield* await run('between', { after: 't15', upTo: 't222' })
  yield* await run('after', { after: 't222' })
}

let looks = 0
/** Every second time, the engine is quick enough to look at all at once. */
const byTurns: InPieces = async function* byTurns(scan, run) {
  looks += 1
  yield* looks % 2 === 0 ? await run('all', {}) : inThree(scan, run)
}

/** The groups in order, as comparing everything makes them. */
function groupsOf(threshold: number, size: number): [group: string, id: string][][] {
  const nearest = documents
    .filter(({ away }) => 1 / Math.hypot(1, away) >= threshold - 1e-6)
    .toSorted((a, b) => a.away - b.away || byBytes(a.id, b.id))
  const groups = new Map<string, [string, string][]>()
  for (const { group, id } of nearest) {
    groups.set(group, [...(groups.get(group) ?? []), [group, id]])
  }
  return [...groups.values()].map((members) => members.slice(0, size))
}

it('the best of all groups are the same at once and piece by piece, on all pages', async () => {
  const project = await newProject({}, { dimensions: 2 })
  const items = documents.map(({ id, away, group }) =>
    embedding(id, [1, away], { metadata: { in: { group } } }),
  )
  await upload(project, ...items)
  const { database } = await testApp()
  const { db } = database.search
  const collectionId = await collectionOf(project)
  for (const pieces of [createInPieces(db, database), inThree, byTurns]) {
    const groupAll = createGroupAll(db, pieces)
    for (const [threshold, size] of [
      [0, 1],
      [0, 3],
      // As similar as those that are 0.75 away.
      [0.8, 2],
    ] as const) {
      const query = newQuery({ collectionId, dimensions: 2, threshold }, [1, 0])
      const scan = { query, collection: { vectors: documents.length } }
      const [first = [], second = [], ...expected] = groupsOf(threshold, size)
      const excluded = [first, second].map(([best]) => JSON.stringify(best?.[0]))
      const found: unknown[] = []
      for (let offset = 0; offset < 40; offset += 15) {
        const page = { limit: 15, offset }
        const results = await groupAll(scan)({ path: ['in', 'group'], size }, page, excluded)
        found.push(...results.map(({ group = '', id }) => [JSON.parse(group), id]))
      }
      expect(found).toEqual(expected.flat())
    }
  }
})
