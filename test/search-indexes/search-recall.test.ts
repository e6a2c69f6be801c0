import { sql } from 'drizzle-orm'
import { describe, expect, inject, it } from 'vitest'
import { fromComment } from '../../src/search/index/recall/recall-curve.ts'
import { adminKey, testApp } from '../support/app.ts'
import { call } from '../support/client.ts'
import { add, collectionOf, look, modeOf, projectOf, structured } from '../support/data/indexed.ts'
import { searchBy, searchFrom } from '../support/data/similars.ts'
import type { Project } from '../support/factories.ts'

/** Few and long, so that an index is built quickly: 416 are within the budget of the tests. */
const dimensions = 240
const documents = structured(480, dimensions)
const [first = { text_id: '', vector: [] }] = documents
const measures = inject('engine') !== 'embedded'

interface Kept {
  readonly name: string
  readonly comment: string | null
}

/** The index of a project, with what is kept with it. */
async function keptOf(project: Project): Promise<Kept> {
  const { database } = await testApp()
  const prefix = `embeddings_hnsw_${await collectionOf(project)}_`
  const [row] = await database.short.db
    .select({ name: sql<string>`relname`, comment: sql<string>`obj_description(oid, 'pg_class')` })
    .from(sql`pg_class`)
    .where(sql`relkind = 'i' and starts_with(relname, ${prefix})`)
  return row ?? { name: '', comment: null }
}

async function write(project: Project, comment: string | null): Promise<void> {
  const { database } = await testApp()
  const { name } = await keptOf(project)
  const text = comment === null ? 'null' : `'${comment}'`
  await database.short.db.execute(sql.raw(`comment on index "${name}" is ${text}`))
}

const curveOf = async (project: Project) => fromComment((await keptOf(project)).comment)

const similar = (project: Project, query: object = {}) =>
  searchFrom(project, first.text_id, { threshold: 0, ...query })

describe.skipIf(!measures)('the recall of an index', () => {
  it('is measured after it was built, and again when the project has grown by half', async () => {
    const project = await projectOf(documents)
    const curve = await curveOf(project)
    expect(curve).toMatchObject({ vectors: 480, sample: 300 })
    const efforts = curve?.points.map(({ efSearch }) => efSearch) ?? []
    expect(efforts).toEqual(efforts.toSorted((a, b) => a - b))
    expect(curve?.points.at(-1)?.recall).toBeGreaterThan(0.99)
    const more = structured(300, dimensions, 9).map((each) => ({
      ...each,
      text_id: `new ${each.text_id}`,
    }))
    await add(project, more.slice(0, 200))
    await look()
    expect(await curveOf(project)).toMatchObject({ vectors: 480 })
    await add(project, more.slice(200))
    await look()
    expect(await curveOf(project)).toMatchObject({ vectors: 780 })
  })

  it('is measured again when what is kept was damaged; until then searches are exact', async () => {
    const project = await projectOf(documents)
    const before = await similar(project)
    for (const comment of [null, 'by hand', '{"v":1,"n":480,"s":300,"p":[[0,0,0,0]]}', '{']) {
      await write(project, comment)
      const answer = await similar(project)
      expect(modeOf(answer)).toBe('exact')
      expect(answer.body.results).toEqual(before.body.results)
      await look()
      expect(await curveOf(project)).toMatchObject({ vectors: 480 })
      expect(modeOf(await similar(project))).toBe('approximate')
    }
  })

  it('is left to the server that wrote it, where that one is newer', async () => {
    const project = await projectOf(documents)
    const newer = '{"v":2,"curve":[]}'
    await write(project, newer)
    await look()
    expect((await keptOf(project)).comment).toBe(newer)
    expect(modeOf(await similar(project))).toBe('exact')
  })

  it('is in the statistics and in the metrics', async () => {
    const project = await projectOf(documents)
    const { owner, handle } = project
    const path = `/v1/projects/${owner.handle}/${handle}/statistics`
    const statistics = await call('GET', path, { key: adminKey })
    expect(statistics.body.index).toMatchObject({ recall: expect.closeTo(1, 1) })
    const { body } = await call('GET', '/metrics', { key: adminKey })
    expect(body).toMatch(/^semblance_search_indexes_measured [1-9]/m)
    expect(body).toMatch(/^semblance_search_index_recall_lowest (1|0\.9)/m)
  })

  it('decides the effort of searches: the pages of a ranking have no gaps and no repeats by any curve', async () => {
    const project = await projectOf(documents)
    const all = await similar(project, { exact: 'true', limit: 200 })
    const ids = all.body.results.map(({ id }: { id: string }) => id)
    const points = [
      [10, 8, 0.995, 0.993],
      [1_000, 50, 1, 0.9991],
    ]
    await write(project, JSON.stringify({ v: 1, n: 480, s: 300, p: points }))
    for (const query of [{}, { min_recall: '0.999' }]) {
      const found: string[] = []
      for (let offset = 0; offset < 90; offset += 9) {
        const page = await similar(project, { ...query, limit: 9, offset })
        expect(modeOf(page)).toMatch(/approximate|exact/)
        found.push(...page.body.results.map(({ id }: { id: string }) => id))
      }
      expect(new Set(found).size).toBe(found.length)
      expect(found.filter((id) => ids.slice(0, 90).includes(id)).length).toBeGreaterThan(80)
    }
  })
})

describe('a search with min_recall', () => {
  it('finds as much as is asked for, or compares every vector', async () => {
    const project = await projectOf(documents)
    const exact = await similar(project, { exact: 'true' })
    for (const recall of ['0.9', '.95', '0.99', '0.9990']) {
      const answers = [
        await similar(project, { min_recall: recall }),
        await searchBy(project, first.vector, { min_recall: recall, threshold: 0 }),
      ]
      for (const { status } of answers) expect(status).toBe(200)
      expect(answers[0]?.body.results).toHaveLength(exact.body.results.length)
    }
    if (measures) {
      expect(modeOf(await similar(project, { min_recall: '0.999' }))).toBe('approximate')
      const low = { v: 1, n: 480, s: 300, p: [[100, 50, 0.996, 0.993]] }
      await write(project, JSON.stringify(low))
    }
    expect(modeOf(await similar(project, { min_recall: '0.99' }))).toBe('approximate')
    const highest = await similar(project, { min_recall: '0.999' })
    expect(modeOf(highest)).toBe('exact')
    expect(highest.body.results).toEqual(exact.body.results)
  })

  it('changes nothing where every vector is compared anyway', async () => {
    const project = await projectOf(documents.slice(0, 100))
    const plain = await similar(project)
    const asked = await similar(project, { min_recall: '0.9' })
    expect(modeOf(asked)).toBe('exact')
    expect(asked.body).toEqual(plain.body)
  })

  it('refuses what is no recall from 0.9 to 0.999', async () => {
    const project = await projectOf(documents.slice(0, 3))
    for (const recall of [
      '',
      '0.89',
      '0.9991',
      '1',
      '1.0',
      '-0.95',
      '9e-1',
      '0,95',
      'high',
      ' .9',
    ]) {
      for (const answer of [
        await similar(project, { min_recall: recall }),
        await searchBy(project, first.vector, { min_recall: recall }),
      ]) {
        expect(answer.status, recall).toBe(400)
        expect(answer.body.detail).toContain('min_recall must be between 0.9 and 0.999')
      }
    }
  })
})
