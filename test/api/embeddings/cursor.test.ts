import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { readPage } from '../../../src/embeddings/list.ts'
import { testApp } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import { read } from '../../support/data/embeddings.ts'
import { collectionOf } from '../../support/data/indexed.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const ids = Array.from({ length: 25 }, (_, index) => `t${String(index).padStart(2, '0')}`)

async function projectWith(
  textIds: readonly string[],
  fields: (index: number) => object = () => ({}),
) {
  const project = await newProject()
  await upload(
    project,
    ...textIds.map((textId, index) => embedding(textId, [1, 2, 3], fields(index))),
  )
  return project
}

const list = (project: Project, query = '') =>
  read(project, `${project.path('embeddings')}?${query}`)
const idsIn = (body: { embeddings: { text_id: string }[] }) =>
  body.embeddings.map(({ text_id }) => text_id)

const nextOf = ({ headers }: { headers: Headers }) => {
  const link = headers.get('link')
  const [, url] = /^<([^>]*)>; rel="next"$/.exec(link ?? '') ?? []
  return url === undefined ? undefined : new URL(url)
}

/** Follows the links from a first page. @param between is done after each page */
async function follow(project: Project, query: string, between = async (_: number) => {}) {
  const pages: string[][] = []
  for (
    let next: URL | undefined = new URL(`http://localhost${project.path('embeddings')}?${query}`);
    next;
  ) {
    const answer = await read(project, next.pathname + next.search)
    expect(answer.status).toBe(200)
    pages.push(idsIn(answer.body))
    await between(pages.length)
    next = nextOf(answer)
  }
  return pages
}

describe('the list of embeddings by cursor', () => {
  it('is read by following its links, to the last page', async () => {
    const project = await projectWith(ids)
    expect(await follow(project, 'limit=10')).toEqual([
      ids.slice(0, 10),
      ids.slice(10, 20),
      ids.slice(20),
    ])
    expect(await follow(project, 'limit=5')).toHaveLength(5)
    expect(await follow(project, 'limit=25')).toEqual([ids])
    expect(await follow(project, 'limit=10&offset=3')).toEqual([
      ids.slice(3, 13),
      ids.slice(13, 23),
      ids.slice(23),
    ])
  })

  it('keeps the other parameters in its links, and says what it was asked for', async () => {
    const project = await projectWith(ids)
    const answer = await list(project, 'limit=2&include=&after=t03')
    expect(answer.body).toMatchObject({ limit: 2, offset: 0, after: 't03', total_count: 25 })
    expect(idsIn(answer.body)).toEqual(['t04', 't05'])
    expect(nextOf(answer)?.search).toBe('?limit=2&include=&after=t05')
    expect((await list(project, 'limit=2')).body).not.toHaveProperty('after')
    expect(answer.headers.get('access-control-expose-headers')).toContain('Link')
  })

  it('begins behind any text, whether it is there or not', async () => {
    const project = await projectWith(ids)
    expect(idsIn((await list(project, 'after=')).body)).toEqual(ids.slice(0, 10))
    expect(idsIn((await list(project, 'after=t03x')).body)[0]).toBe('t04')
    const last = await list(project, 'after=t24')
    expect(last.body.embeddings).toEqual([])
    expect(nextOf(last)).toBeUndefined()
  })

  it('has neither gaps nor repeats while others write', async () => {
    const project = await projectWith(ids)
    const pages = await follow(project, 'limit=5', async (page) => {
      await upload(project, embedding(`a${page}`, [1, 2, 3]), embedding(`zz${page}`, [1, 2, 3]))
      const gone = `${project.path('embeddings')}/t0${page}`
      expect((await call('DELETE', gone, { key: project.owner.key })).status).toBe(200)
      if (page > 4) expect(page).toBeLessThan(9)
    })
    const seen = pages.flat()
    expect(seen.filter((id) => id.startsWith('t'))).toEqual(ids)
    expect(new Set(seen).size).toBe(seen.length)
  })

  it.each([
    ['after=a&offset=1', 'after and offset exclude each other; give one of them'],
    ['after=a&after=b', 'after must be given once'],
    [`after=${'x'.repeat(301)}`, 'must have at most 300 characters'],
  ])('refuses %s', async (query, detail) => {
    const project = await newProject()
    expect(await list(project, query)).toMatchObject({ status: 400, body: { detail } })
  })

  it('has the other parameters in the link as they were sent', async () => {
    const project = await projectWith(ids.slice(0, 3))
    const filter = '{"text_id":{"$nin":["a,b","é:%26"]}}'
    for (const sent of [filter, encodeURIComponent(filter)]) {
      const { headers } = await list(project, `filter=${sent}&offset=0&limit=1`)
      const { search } = new URL(/<(.*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '')
      expect(search).toBe(new URL(`http://x/?filter=${sent}&limit=1&after=t00`).search)
    }
  })

  it('keeps a page of large texts whole: what is uploaded meanwhile is on none of its later parts', async () => {
    const project = await projectWith(ids.slice(0, 9))
    const collectionId = await collectionOf(project)
    const { db } = (await testApp()).database.short
    await db.execute(
      sql`update embeddings set text = repeat('long', 1000000) where collection_id = ${collectionId}`,
    )
    const page = { limit: 7, offset: 0, looksAhead: true }
    const groups: string[][] = []
    const next: (string | undefined)[] = []
    for await (const group of readPage(db, collectionId, page)) {
      groups.push(group.rows.map(({ textId }) => textId))
      next.push(group.next)
      await upload(project, embedding(`t03x${groups.length}`, [1, 2, 3]))
    }
    expect(groups).toEqual([['t00', 't01', 't02'], ['t03', 't04', 't05'], ['t06']])
    expect(next).toEqual(['t06', undefined, undefined])
  })
})
