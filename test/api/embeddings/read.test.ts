import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { readPage } from '../../../src/embeddings/list.ts'
import { testApp } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import { newProjectOf, pathTo, queryFor, read } from '../../support/data/embeddings.ts'
import { collectionOf } from '../../support/data/indexed.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const list = (project: Project, query = '') =>
  read(project, `${project.path('embeddings')}?${query}`)
const textIds = (body: { embeddings: { text_id: string }[] }) =>
  body.embeddings.map(({ text_id }) => text_id)

describe('the list of embeddings', () => {
  it('holds all fields but project_id, with the time of the upload', async () => {
    const project = await newProject()
    const fields = { text: '\ufeffGrüße 😀', metadata: { a: [1, { b: null }] } }
    const item = embedding('a', [0.5, -0.25, 2], fields)
    const before = Date.now()
    await upload(project, item)
    const { body } = await list(project)
    const { created_at, ...others } = body.embeddings[0]
    expect(others).toEqual({ ...item, user_handle: project.owner.handle, project_handle: 'texts' })
    expect(new Date(created_at).toISOString()).toBe(created_at)
    expect(Math.abs(Date.parse(created_at) - before)).toBeLessThan(60_000)
  })

  it('is ordered by the bytes of the text_id', async () => {
    const ordered = ['!', '10', '9', 'A', 'Z', '_', 'a', 'aa', 'z', 'É', 'é', 'ﬁ', '😀']
    const project = await newProjectOf(...ordered.toReversed())
    expect(textIds((await list(project, 'limit=200')).body)).toEqual(ordered)
  })

  it('is whole when its texts are large', async () => {
    const project = await newProject()
    const ids = Array.from({ length: 9 }, (_, index) => `t${index}`)
    await upload(project, ...ids.map((textId) => embedding(textId, [1, 2, 3], { text: textId })))
    const collectionId = await collectionOf(project)
    const { database } = await testApp()
    // From before texts were bounded.
    await database.short.db.execute(
      sql`update embeddings set text = repeat(text_id, 1500000) where collection_id = ${collectionId}
        and text_id in ('t1', 't2', 't3', 't4', 't5', 't7')`,
    )
    const { body } = await list(project, 'limit=8&offset=1')
    expect(textIds(body)).toEqual(ids.slice(1))
    expect(body).toMatchObject({ total_count: 9, limit: 8, offset: 1 })
    const lengths = body.embeddings.map(({ text }: { text: string }) => text.length)
    expect(lengths).toEqual([3e6, 3e6, 3e6, 3e6, 3e6, 2, 3e6, 2])
  })

  it('breaks off between two parts when the project is emptied, not when one is deleted', async () => {
    const project = await newProjectOf(...Array.from({ length: 9 }, (_, index) => `t${index}`))
    const collectionId = await collectionOf(project)
    const { db } = (await testApp()).database.short
    const inCollection = sql`where collection_id = ${collectionId}`
    await db.execute(sql`update embeddings set text = repeat('long', 1000000) ${inCollection}`)
    const parts = readPage(db, collectionId, { limit: 9, offset: 0 })
    const nextIds = async () =>
      (await parts.next()).value?.rows.map(({ textId }: { textId: string }) => textId)
    expect(await nextIds()).toEqual(['t0', 't1', 't2'])
    await call('DELETE', `${project.path('embeddings')}/t4`, project.owner)
    expect(await nextIds()).toEqual(['t3', 't5', 't6'])
    await call('DELETE', project.path('embeddings'), project.owner)
    // As the cleaner does.
    await db.execute(sql`delete from embeddings ${inCollection}`)
    await expect(nextIds()).rejects.toThrow('emptied or deleted')
  })

  it.each([
    [[], 0],
    [['a'], 1],
    [['a'], 2_147_483_647],
  ])('of the project of %j is empty from offset %d', async (textIds, offset) => {
    const { status, body } = await list(await newProjectOf(...textIds), `offset=${offset}`)
    const total_count = textIds.length
    expect([status, body]).toEqual([200, { embeddings: [], total_count, limit: 10, offset }])
  })
})

describe('one embedding', () => {
  it('is by path and by query that of the list, with the id of its project', async () => {
    const project = await newProject()
    await upload(project, embedding('a', [1, 2, 3]), embedding('b', [1, 2, 3], { text: 'B' }))
    const { project_id } = (await read(project, project.path())).body
    const shown = { ...(await list(project)).body.embeddings[1], project_id }
    for (const path of [pathTo(project, 'b'), queryFor(project, 'b')]) {
      expect((await read(project, path)).body).toEqual(shown)
    }
  })

  it.each(['text_id=', 'text_id', 'text_id=a&text_id=b'])('is not named by ?%s', async (query) => {
    const project = await newProjectOf('a')
    expect((await list(project, query)).status).toBe(400)
  })
})

const ids = Array.from({ length: 25 }, (_, index) => `t${String(index).padStart(2, '0')}`)

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
    pages.push(textIds(answer.body))
    await between(pages.length)
    next = nextOf(answer)
  }
  return pages
}

describe('the list of embeddings by cursor', () => {
  it('is read by following its links, to the last page', async () => {
    const project = await newProjectOf(...ids)
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

  it('keeps the other parameters as they were sent in its links, and says what it was asked for', async () => {
    const project = await newProjectOf(...ids)
    const answer = await list(project, 'limit=2&include=&after=t03')
    expect(answer.body).toMatchObject({ limit: 2, offset: 0, after: 't03', total_count: 25 })
    expect(textIds(answer.body)).toEqual(['t04', 't05'])
    expect(nextOf(answer)?.search).toBe('?limit=2&include=&after=t05')
    const filter = '{"text_id":{"$nin":["a,b","é:%26"]}}'
    for (const sent of [filter, encodeURIComponent(filter)]) {
      const next = nextOf(await list(project, `filter=${sent}&offset=0&limit=1`))
      expect(next?.search).toBe(new URL(`http://x/?filter=${sent}&limit=1&after=t00`).search)
    }
    expect((await list(project, 'limit=2')).body).not.toHaveProperty('after')
    expect(answer.headers.get('access-control-expose-headers')).toContain('Link')
  })

  it('begins behind any text, whether it is there or not', async () => {
    const project = await newProjectOf(...ids)
    expect(textIds((await list(project, 'after=')).body)).toEqual(ids.slice(0, 10))
    expect(textIds((await list(project, 'after=t03x')).body)[0]).toBe('t04')
    const last = await list(project, 'after=t24')
    expect(last.body.embeddings).toEqual([])
    expect(nextOf(last)).toBeUndefined()
  })

  it('has neither gaps nor repeats while others write', async () => {
    const project = await newProjectOf(...ids)
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

  it('keeps a page of large texts whole: what is uploaded meanwhile is on none of its later parts', async () => {
    const project = await newProjectOf(...ids.slice(0, 9))
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

const vector = [1, -0.1, 1e-7]
const full = () => embedding('a', vector, { text: 'A', metadata: { n: 1 } })

async function oneEmbedding(): Promise<Project> {
  const project = await newProject()
  await upload(project, full())
  return project
}

/** What is behind the collection's path in each way to read it. */
const ways = { 'a list': '?', 'a read by path': '/a?', 'a read by parameter': '?text_id=a&' }

const parts = ['text', 'metadata', 'vector']
const base64 = Buffer.from(new Float32Array(vector).buffer).toString('base64')

describe.each(Object.entries(ways))('%s', (_, rest) => {
  async function get(project: Project, query: string) {
    const { body } = await read(project, project.path('embeddings') + rest + query)
    return body.embeddings?.[0] ?? body
  }

  it.each([
    ['', []],
    ['text', ['text']],
    ['vector', ['vector']],
    ['metadata,text', ['metadata', 'text']],
    ['vector,metadata,text', parts],
  ])('has with include=%s only these parts', async (include, shown) => {
    const project = await oneEmbedding()
    const all = await get(project, 'vector_format=json')
    const answer = await get(project, `include=${include}`)
    const left = Object.entries(all).filter(
      ([name]) => !parts.includes(name) || shown.some((part) => part === name),
    )
    expect(answer).toEqual(Object.fromEntries(left))
    expect(answer).toMatchObject({ text_id: 'a', vector_dim: 3, created_at: expect.any(String) })
  })

  it('has vectors as base64 of little-endian float32 where that is asked for', async () => {
    const project = await oneEmbedding()
    const answer = await get(project, 'vector_format=base64')
    expect(answer).toEqual({ ...(await get(project, 'vector_format=json')), vector: base64 })
    expect(await get(project, 'vector_format=base64&include=vector')).toMatchObject({
      vector: base64,
    })
    expect(await get(project, 'vector_format=base64&include=text')).not.toHaveProperty('vector')
  })
})

it.each([
  ['include=metdata', "include has no 'metdata'; did you mean metadata?"],
  ['include=all', "include has no 'all'; known are text, metadata and vector"],
  ['include=highlights', "include has no 'highlights'; known are text, metadata and vector"],
  ['include=text,', "include has no ''; known are text, metadata and vector"],
  ['include=text&include=vector', 'include must be given once, its names with commas between them'],
  ['vector_format=hex', 'vector_format must be json or base64'],
])('?%s is refused', async (query, detail) => {
  const project = await oneEmbedding()
  for (const path of ['', '/a']) {
    const answer = await read(project, `${project.path('embeddings')}${path}?${query}`)
    expect(answer).toMatchObject({ status: 400, body: { detail } })
  }
})
