import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import type { Database, Db } from '../../src/db/database.ts'
import { compileFilter } from '../../src/filters/condition.ts'
import { parseFilter } from '../../src/filters/parse.ts'
import { createExactly } from '../../src/search/exactly.ts'
import { createMatches } from '../../src/search/matches.ts'
import { createInPieces, type InPieces } from '../../src/search/pieces.ts'
import { testApp } from '../support/app.ts'
import { call } from '../support/client.ts'
import { collectionOf } from '../support/data/indexed.ts'
import { newQuery } from '../support/data/query.ts'
import { embedding, newProject, upload } from '../support/factories.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

const documents = Array.from({ length: 3_000 }, (_, at) =>
  embedding(`t${at}`, [1, at + 1], { metadata: { third: at % 3 === 0 } }),
)

/** Counts other statements that are served until `work` has ended. */
async function turnsDuring(db: Db, work: Promise<unknown>): Promise<number> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  let turns = 0
  while (!isOver) {
    await db.execute(sql`select 1`)
    turns += 1
  }
  await over
  return turns
}

/** PostgreSQL serves others at the same time. */
const leastTurns = postgresOfRun() === undefined ? 2 : -1

/** So large that the embedded engine does not look through it at once. */
const collection = { vectors: 10 ** 8 }

const matchesIn = (database: Database, mostMs?: number) => {
  const { db } = database.search
  return createMatches(db, database, createInPieces(db, database, mostMs))
}

it('others get their turn while the matches of a filter are looked for', async () => {
  const project = await newProject({}, { dimensions: 2 })
  for (let start = 0; start < documents.length; start += 1_000) {
    await upload(project, ...documents.slice(start, start + 1_000))
  }
  const { database } = await testApp()
  const { db } = database.search
  const filter = compileFilter(parseFilter({ third: true }))
  const query = newQuery({ collectionId: await collectionOf(project), dimensions: 2, filter })
  const matches = matchesIn(database).all({ query, collection })
  expect(await turnsDuring(db, matches)).toBeGreaterThan(leastTurns)
  const expected = documents.map(({ text_id }) => text_id).filter((_, at) => at % 3 === 0)
  expect(JSON.parse((await matches).textIds).toSorted()).toEqual(expected.toSorted())
})

it.skipIf(postgresOfRun() !== undefined)(
  'matches are found if larger metadata come after many small ones',
  async () => {
    const project = await newProject({}, { dimensions: 2 })
    const small = Array.from({ length: 200 }, (_, at) => embedding(`a${at + 100}`, [1, 1]))
    const large = Array.from({ length: 100 }, (_, at) => embedding(`b${at + 100}`, [1, 1]))
    await upload(project, ...small, ...large)
    const { database } = await testApp()
    // As a filter of large metadata: one takes a while, and all of them longer than a statement may.
    const takes = sql`case when text_id > 'b' then pg_sleep(0.02) is not null else true end`
    const isInTime = sql`(clock_timestamp() < statement_timestamp() + interval '1 s'
      or ln(-extract(epoch from clock_timestamp())) is null)`
    const filter = {
      form: 'slow',
      values: {},
      condition: () => sql`(${isInTime} and ${takes})`,
      indexed: undefined,
    }
    const query = newQuery({ collectionId: await collectionOf(project), dimensions: 2, filter })
    const found: string[] = JSON.parse(
      (await matchesIn(database).all({ query, collection })).textIds,
    )
    expect(found.toSorted()).toEqual([...small, ...large].map(({ text_id }) => text_id))
  },
)

it('an exact search finds the same piece by piece, and others get their turn', async () => {
  const project = await newProject({}, { dimensions: 2 })
  for (let start = 0; start < documents.length; start += 1_000) {
    await upload(project, ...documents.slice(start, start + 1_000))
  }
  const { database } = await testApp()
  const { db } = database.search
  const collectionId = await collectionOf(project)
  const filter = compileFilter(parseFilter({ third: true }))
  const exactly = createExactly(db, createInPieces(db, database))
  const page = { limit: 100, offset: 50 }
  for (const query of [
    newQuery({ collectionId, dimensions: 2, filter }, [1, 1_000]),
    // Every third is at the same distance as others.
    newQuery({ collectionId, dimensions: 2, filter }, 't30'),
  ]) {
    const atOnce = await exactly({ query, collection: { vectors: documents.length } }, page, ['t0'])
    const inPieces = exactly({ query, collection }, page, ['t0'])
    expect(await turnsDuring(db, inPieces)).toBeGreaterThan(leastTurns)
    expect(await inPieces).toEqual(atOnce)
    expect(atOnce.candidates).toHaveLength(100)
  }
})

describe('while an exact search looks through a project', () => {
  /** In two pieces, with a change between them. */
  const changedBetween = (change: () => Promise<unknown>): InPieces =>
    async function* inTwo(_, run) {
      yield* await run('between', { after: '', upTo: 'm' })
      await change()
      yield* await run('after', { after: 'm' })
    }

  it.each([
    ['replaced', 'POST', '?on_conflict=replace', [embedding('z', [-1, 1])]],
    ['deleted', 'DELETE', '/z', undefined],
  ])('the embedding that is searched for may be %s', async (_, method, path, embeddings) => {
    const project = await newProject({}, { dimensions: 2 })
    await upload(project, embedding('a', [1, 1]), embedding('n', [1, 2]), embedding('z', [1, 0]))
    const { database } = await testApp()
    const collectionId = await collectionOf(project)
    const query = newQuery({ collectionId, dimensions: 2 }, 'z')
    const change = async () => {
      const { key } = project.owner
      const body = embeddings && { embeddings }
      const answer = await call(method, `${project.path('embeddings')}${path}`, { key, body })
      expect(answer.status).toBeLessThan(300)
    }
    const exactly = createExactly(database.search.db, changedBetween(change))
    const { candidates } = await exactly({ query, collection }, { limit: 10, offset: 0 })
    expect(candidates).toEqual([
      { id: 'a', distance: expect.closeTo(1 - Math.SQRT1_2) },
      { id: 'n', distance: expect.closeTo(1 - 1 / Math.sqrt(5)) },
    ])
  })
})

it.skipIf(postgresOfRun() !== undefined)(
  'an exact search without a filter is given up when the engine has worked for too long',
  async () => {
    const project = await newProject({}, { dimensions: 2 })
    await upload(project, ...documents.slice(0, 10))
    const { database } = await testApp()
    const { db } = database.search
    const query = newQuery({ collectionId: await collectionOf(project), dimensions: 2 }, 't0')
    const exactly = createExactly(db, createInPieces(db, database, -1))
    const page = { limit: 10, offset: 0 }
    await expect(exactly({ query, collection }, page)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.not.stringContaining('filter'),
    })
    const small = { query, collection: { vectors: 10 } }
    expect((await exactly(small, page)).candidates).toHaveLength(9)
  },
)

/** A filter that takes 50 ms for each of a hundred documents. */
async function slowSearch() {
  const project = await newProject({}, { dimensions: 2 })
  await upload(project, ...documents.slice(0, 100))
  const { database } = await testApp()
  const filter = {
    form: 'slow for each',
    values: {},
    condition: () => sql`pg_sleep(0.05) is not null`,
    indexed: undefined,
  }
  const collectionId = await collectionOf(project)
  return { database, query: newQuery({ collectionId, dimensions: 2, filter }) }
}

it.skipIf(postgresOfRun() !== undefined)(
  'no further pieces are looked through for a client that has left',
  async () => {
    const { database, query } = await slowSearch()
    const leaves = new AbortController()
    const requester = { name: 'someone', signal: leaves.signal }
    const { all } = matchesIn(database)
    const found = database.onBehalfOf(requester, () => all({ query, collection }))
    setTimeout(() => leaves.abort(), 200)
    await expect(found).rejects.toMatchObject({ kind: 'cancelled' })
  },
)

it.skipIf(postgresOfRun() !== undefined)(
  'a filter is given up when the engine has worked on its pieces for too long',
  async () => {
    const { database, query } = await slowSearch()
    const { all } = matchesIn(database, 500)
    await expect(all({ query, collection })).rejects.toMatchObject({ kind: 'unavailable' })
  },
)
