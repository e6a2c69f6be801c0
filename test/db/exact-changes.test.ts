import { beforeEach, describe, expect, it } from 'vitest'
import { compileFilter } from '../../src/filters/condition.ts'
import { parseFilter } from '../../src/filters/parse.ts'
import { createGroupAll } from '../../src/search/all-groups.ts'
import { createExactly } from '../../src/search/exactly.ts'
import { createInPieces, type InPieces } from '../../src/search/pieces.ts'
import type { Query } from '../../src/search/query.ts'
import { testApp } from '../support/app.ts'
import { call } from '../support/client.ts'
import { collectionOf } from '../support/data/indexed.ts'
import { newQuery } from '../support/data/query.ts'
import { embedding, newProject, type Project, upload } from '../support/factories.ts'

const count = 200
/** So many degrees from the first axis. */
const at = (degrees: number) => [
  Math.cos((degrees * Math.PI) / 180),
  Math.sin((degrees * Math.PI) / 180),
]

let project: Project
let collectionId: number

async function replace(text_id: string, vector: number[], kind: number): Promise<void> {
  const { key } = project.owner
  const body = { embeddings: [embedding(text_id, vector, { metadata: { kind } })] }
  const path = `${project.path('embeddings')}?on_conflict=replace`
  expect((await call('POST', path, { key, body })).status).toBe(201)
}

/** What searches need, where something changes once all vectors were compared roughly. */
async function toolsFor(query: Query, change: () => Promise<void>) {
  const { database } = await testApp()
  const { db } = database.search
  const inPieces = createInPieces(db, database)
  let isFirst = true
  const changing: InPieces = async function* changing(scan, run) {
    yield* inPieces(scan, run)
    if (isFirst) await change()
    isFirst = false
  }
  return { db, changing, scan: { query, collection: { vectors: count } } }
}

async function pageOf(query: Query, change: () => Promise<void>): Promise<string[]> {
  const { db, changing, scan } = await toolsFor(query, change)
  const { candidates } = await createExactly(db, changing)(scan, { limit: 5, offset: 0 })
  return candidates.map(({ id }) => id)
}

describe('an exact search during which something is replaced', () => {
  beforeEach(async () => {
    project = await newProject({}, { dimensions: 2 })
    const degrees = Array.from({ length: count }, (_, index) => index / 4)
    await upload(
      project,
      ...degrees.map((each, index) =>
        embedding(`t${index}`, at(each), { metadata: { kind: index % 2 } }),
      ),
    )
    collectionId = await collectionOf(project)
  })

  it('finds the nearest of the present vector of what is searched for', async () => {
    const query = newQuery({ collectionId, dimensions: 2 }, 't0')
    const found = await pageOf(query, () => replace('t0', at(120), 0))
    expect(found).toEqual(['t199', 't198', 't197', 't196', 't195'])
  })

  it('finds the groups of the present vector of what is searched for', async () => {
    const query = newQuery({ collectionId, dimensions: 2 }, 't0')
    const { db, changing, scan } = await toolsFor(query, () => replace('t0', at(120), 0))
    const grouping = { path: ['kind'], size: 1 }
    const groupAll = createGroupAll(db, changing)
    const found = await groupAll(scan)(grouping, { limit: 5, offset: 0 }, [])
    expect(found.map(({ id }) => id)).toEqual(['t199', 't198'])
  })

  it('finds nothing that a filter does not keep', async () => {
    const filter = compileFilter(parseFilter({ kind: 1 }))
    const query = newQuery({ collectionId, dimensions: 2, filter }, at(0))
    const found = await pageOf(query, () => replace('t3', at(0.1), 0))
    expect(found).toEqual(['t1', 't5', 't7', 't9', 't11'])
  })
})
