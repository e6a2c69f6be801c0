import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { untilCached } from '../../support/data/cached.ts'
import { exported, valuesOf } from '../../support/exports.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

/** Twelve, the last of which is less similar to the first than the usual threshold. */
async function aDozen(): Promise<Project> {
  const project = await newProject({}, { dimensions: 2 })
  const items = Array.from({ length: 12 }, (_, index) =>
    embedding(`t${String(index).padStart(2, '0')}`, [1, index / 6.2], {
      metadata: { even: index % 2 === 0 },
    }),
  )
  await upload(project, ...items)
  await untilCached(project, 2)
  return project
}

async function answerOf(project: Project, method: string, path: string, body?: object) {
  const answer = await call(method, path, { key: project.owner.key, body })
  expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300)
  return answer.body
}

const inSearches = {
  ...{ count: 10, limit: 10, offset: 0, threshold: 0.5, vector_format: 'json', group_size: 1 },
  ...{ totals: false, exact: false, include_self: false },
}
const inBodies = { ...inSearches, include: [] }
const inLists = 'limit=10&offset=0&include=text,metadata,vector&vector_format=json'
const queryOf = (options: object) => `include=&${new URLSearchParams(Object.entries(options))}`

describe('what is given as it is when it is not given changes nothing', () => {
  it('in a search', async () => {
    const project = await aDozen()
    const path = project.path('similars')
    const query = queryOf(inSearches)
    const byTextId = await answerOf(project, 'GET', `${path}/t00`)
    expect(byTextId.results).toHaveLength(10)
    expect(await answerOf(project, 'GET', `${path}/t00?${query}`)).toEqual(byTextId)
    expect(await answerOf(project, 'GET', `${path}?text_id=t00&${query}`)).toEqual(byTextId)
    const vector = [1, 0]
    const byVector = await answerOf(project, 'POST', path, { vector })
    expect(byVector.results).toHaveLength(10)
    expect(await answerOf(project, 'POST', `${path}?${query}`, { vector })).toEqual(byVector)
    expect(await answerOf(project, 'POST', path, { ...inBodies, vector })).toEqual(byVector)
    expect(await answerOf(project, 'POST', `${path}?${query}`, { ...inBodies, vector })).toEqual(
      byVector,
    )
  })

  it('in a batch, and among neighbours', async () => {
    const project = await aDozen()
    const batch = `${project.path('similars')}/batch`
    const plain = await answerOf(project, 'POST', batch, { searches: [{ text_id: 't00' }] })
    const full = { searches: [{ ...inBodies, text_id: 't00' }] }
    expect(await answerOf(project, 'POST', batch, full)).toEqual(plain)
    const neighbours = `${project.path('similars')}/neighbours`
    // Without its progress, which is said every few seconds.
    const found = async (body: object) =>
      valuesOf(Buffer.from(await answerOf(project, 'POST', neighbours, body))).filter(
        ({ progress }) => progress === undefined,
      )
    const withAll = { k: 10, threshold: 0.5, exact: false }
    expect(await found(withAll)).toEqual(await found({}))
  })

  it('in a list of embeddings, behind a text_id too', async () => {
    const project = await aDozen()
    const path = project.path('embeddings')
    const first = await answerOf(project, 'GET', path)
    expect(first.embeddings).toHaveLength(10)
    expect(await answerOf(project, 'GET', `${path}?${inLists}`)).toEqual(first)
    const next = await answerOf(project, 'GET', `${path}?after=t09`)
    expect(next.embeddings).toHaveLength(2)
    expect(await answerOf(project, 'GET', `${path}?after=t09&${inLists}`)).toEqual(next)
    const one = await answerOf(project, 'GET', `${path}/t03`)
    const shown = 'include=text,metadata,vector&vector_format=json'
    expect(await answerOf(project, 'GET', `${path}/t03?${shown}`)).toEqual(one)
  })

  it('in lists of projects', async () => {
    const project = await aDozen()
    const page = 'limit=10&offset=0'
    for (const path of [`/v1/projects/${project.owner.handle}`, '/v1/me']) {
      const more = path === '/v1/me' ? '' : '&include_shared=false'
      const plain = await answerOf(project, 'GET', path)
      expect(await answerOf(project, 'GET', `${path}?${page}${more}`)).toEqual(plain)
    }
  })

  it('in an export, in each of its formats', async () => {
    const project = await aDozen()
    const query = 'include=metadata,vector,text&vector_format=json'
    expect(await exported(project, `format=ndjson&${query}`)).toEqual(await exported(project))
    const whole = await exported(project, 'format=semblance')
    expect(await exported(project, `format=semblance&${query}`)).toEqual(whole)
  })

  it('where something is written', async () => {
    const project = await aDozen()
    const path = project.path('embeddings')
    const more = (textId: string) => ({ embeddings: [embedding(textId, [1, 0])] })
    expect(await answerOf(project, 'POST', `${path}?on_conflict=error`, more('x'))).toEqual({
      message: '1 embedding uploaded',
      uploaded: ['x'],
    })
    const chosen = { text_ids: ['x'] }
    const deleted = await answerOf(project, 'POST', `${path}/delete?dry_run=false`, chosen)
    expect(deleted.deleted_count).toBe(1)
    const instance = `/v1/llm-services/${project.owner.handle}/model?force=false`
    await answerOf(project, 'PATCH', instance, { description: 'small' })
  })
})

describe('a search by vector, told in the URL and in the body', () => {
  const search = async (project: Project, query: string, options: object) =>
    answerOf(project, 'POST', `${project.path('similars')}?${query}`, {
      vector: [1, 0],
      ...options,
    })

  it.each([
    ['limit=10', { limit: 3 }, 3],
    ['limit=3', { limit: 10 }, 3],
    ['offset=0', { offset: 9 }, 2],
    ['offset=9', { offset: 0 }, 2],
    ['threshold=0.5', { threshold: 0.99 }, 1],
    ['threshold=0.99', { threshold: 0.5 }, 1],
    // Both are given: the smaller counts, also where it is the usual one.
    ['count=10', { limit: 12, threshold: 0 }, 10],
    ['limit=12&threshold=0', { count: 10 }, 10],
    ['count=10&limit=12&threshold=0', {}, 10],
    ['limit=12&count=12', { threshold: 0, limit: 10, count: 10 }, 12],
  ])('takes of %s and %j what is not as usual', async (query, options, found) => {
    expect((await search(await aDozen(), query, options)).results).toHaveLength(found)
  })

  it('takes parts and switches from where they are asked for', async () => {
    const project = await aDozen()
    const shown = { id: 't00', similarity: 1, metadata: { even: true } }
    const wanted = { include: ['metadata'], totals: true }
    for (const [query, options] of [
      ['include=&totals=false', wanted],
      ['include=metadata&totals=true', { include: [], totals: false }],
    ] as const) {
      const { results, total_similar } = await search(project, query, options)
      expect([results[0], total_similar]).toEqual([shown, 11])
    }
    const groups = { group_by: 'even', group_size: 1 }
    expect((await search(project, 'group_by=even&group_size=2', groups)).results).toHaveLength(4)
    expect((await search(project, 'group_size=1', groups)).results).toHaveLength(2)
  })
})
