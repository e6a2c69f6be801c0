import { beforeAll, describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { urlOf } from '../../support/authorization/requests.ts'
import { newWorld } from '../../support/authorization/world.ts'
import { asAdmin, call } from '../../support/client.ts'
import { untilCached } from '../../support/data/cached.ts'
import { embedding, newProject, newUser, type Project, upload } from '../../support/factories.ts'
import { operationsOf } from '../../support/openapi/document.ts'

/** Twelve texts, the last of which is less similar to the first than the usual threshold. */
let project: Project
beforeAll(async () => {
  project = await newProject({}, { dimensions: 2 })
  const items = Array.from({ length: 12 }, (_, index) =>
    embedding(`t${String(index).padStart(2, '0')}`, [1, index / 6.2], {
      metadata: { even: index % 2 === 0 },
    }),
  )
  await upload(project, ...items)
  await untilCached(project, 2)
})

const pages: Readonly<Record<string, (query: string) => ReturnType<typeof call>>> = {
  'a list of embeddings': (query) => get(`${project.path('embeddings')}?${query}`),
  'a search from a document': (query) => get(`${project.path('similars')}/t00?${query}`),
  'a search by vector': (query) =>
    call('POST', `${project.path('similars')}?${query}`, {
      ...{ key: project.owner.key, body: { vector: [1, 0] } },
    }),
  'the projects of an owner': (query) => get(`/v1/projects/${project.owner.handle}?${query}`),
  'the visible projects': (query) => get(`/v1/projects?${query}`),
  'the projects of a caller': (query) => get(`/v1/me?${query}`),
}
const get = (path: string) => call('GET', path, project.owner)

const junk = ['', '-1', '1.5', '1e1', '0x10', '%2B5', '+5', '%205', '5%20', 'ten', 'NaN', '٣']
const wrongLimits = [...junk, '0', '201', '9999999999999', '1,2']
const wrongOffsets = [...junk, '9999999999999', '2147483648']

describe.each(Object.entries(pages))('%s', (what, page) => {
  const limits = what.includes('search') ? ['limit', 'count'] : ['limit']

  it('has no other limits and offsets than the document says', async () => {
    for (const name of limits) {
      const detail = `${name} must be between 1 and 200`
      for (const value of [...wrongLimits, `5&${name}=5`]) {
        const answer = await page(`${name}=${value}`)
        expect(answer, `${name}=${value}`).toMatchObject({ status: 400, body: { detail } })
      }
    }
    const detail = 'offset must be between 0 and 2147483647'
    for (const value of [...wrongOffsets, '5&offset=5']) {
      const answer = await page(`offset=${value}`)
      expect(answer, `offset=${value}`).toMatchObject({ status: 400, body: { detail } })
    }
  })

  it('takes the least and the most', async () => {
    const queries = limits.flatMap((name) => ['1', '200', '007'].map((value) => `${name}=${value}`))
    for (const query of [...queries, 'offset=0', 'offset=2147483647']) {
      expect((await page(query)).status, query).toBe(200)
    }
  })
})

describe('a query parameter that an operation does not know', () => {
  it.each([
    ['similars', '/a?count=1&includeSelf=true', "'includeSelf': did you mean include_self?"],
    ['embeddings', '/a?limit=5', "'limit'; known here: include, vector_format"],
    ['projects', '?a%20b%26=5', "'a b&'; there are none here"],
    ['projects', '?__proto__=5', "'__proto__'; there are none here"],
  ])('is named, with the one that was meant: %s%s', async (collection, rest, what) => {
    const project = await newProject()
    const answer = await call('GET', project.path(collection) + rest, project.owner)
    const detail = `Unknown query parameter ${what}`
    expect(answer).toMatchObject({ status: 400, body: { detail } })
  })

  it('is not repeated when it is as long as a key', async () => {
    const { handle, key } = await newUser()
    const answer = await call('GET', `/v1/users/${handle}?${key}`, { key })
    expect(answer.body.detail).toBe(
      `Unknown query parameter of ${key.length} characters; there are none here`,
    )
  })

  it('is refused by every operation, before its body', async () => {
    const world = await newWorld(true)
    for (const operation of operationsOf((await testApp()).document)) {
      const path = `${urlOf(operation, 'there', world, 'admin')}?unknown_here=1`
      const { status, body } = await asAdmin(operation.method, path)
      expect({ status, detail: body.detail }, operation.id).toEqual({
        status: 400,
        detail: expect.stringMatching(/^Unknown query parameter 'unknown_here'; /),
      })
    }
  })
})

async function answerTo(method: string, path: string, body?: object) {
  const answer = await call(method, path, { key: project.owner.key, body })
  expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300)
  return answer.body
}

const inSearches = {
  ...{ count: 10, limit: 10, offset: 0, threshold: 0.5, vector_format: 'json', group_size: 1 },
  ...{ totals: false, exact: false, include_self: false },
}
const inBodies = { ...inSearches, include: [] }
const searched = `include=&${Object.entries(inSearches)
  .map((pair) => pair.join('='))
  .join('&')}`
const parts = 'include=text,metadata,vector&vector_format=json'
const listed = `limit=10&offset=0&${parts}`
const vector = [1, 0]
const ofSearches = (options: object) => ({ searches: [{ ...options, text_id: 't00' }] })

describe('what is given as it is when it is not given changes nothing', () => {
  it.each<
    [method: string, collection: string, rest: string, query: string, bare?: object, full?: object]
  >([
    ['GET', 'similars', '/t00', searched],
    ['GET', 'similars', '?text_id=t00', searched],
    ['POST', 'similars', '', searched, { vector }],
    ['POST', 'similars', '', '', { vector }, { ...inBodies, vector }],
    ['POST', 'similars', '', searched, { vector }, { ...inBodies, vector }],
    ['POST', 'similars', '/batch', '', ofSearches({}), ofSearches(inBodies)],
    ['POST', 'similars', '/neighbours', '', {}, { k: 10, threshold: 0.5, exact: false }],
    ['GET', 'embeddings', '', listed],
    ['GET', 'embeddings', '?after=t09', listed],
    ['GET', 'embeddings', '/t03', parts],
    ['GET', 'projects', '/export?format=ndjson', parts],
    ['GET', 'projects', '/export?format=semblance', parts],
  ])('to %s %s%s', async (method, collection, rest, query, bare, full = bare) => {
    const path = project.path(collection) + rest
    const given = query === '' ? path : `${path}${rest.includes('?') ? '&' : '?'}${query}`
    // Without the progress of neighbours, which is said every few seconds.
    const [plain, same] = [
      await answerTo(method, path, bare),
      await answerTo(method, given, full),
    ].map((answer) =>
      typeof answer === 'string' ? answer.replaceAll(/^{"progress".*\n/gm, '') : answer,
    )
    expect(same).toEqual(plain)
  })

  it.each(['/v1/me', '/v1/projects/OWNER'])('to GET %s', async (of) => {
    const path = of.replace('OWNER', project.owner.handle)
    const more = of === '/v1/me' ? '' : '&include_shared=false'
    const plain = await answerTo('GET', path)
    expect(await answerTo('GET', `${path}?limit=10&offset=0${more}`)).toEqual(plain)
  })

  it('where something is written', async () => {
    const path = project.path('embeddings')
    const more = { embeddings: [embedding('x', [-1, 0])] }
    expect(await answerTo('POST', `${path}?on_conflict=error`, more)).toEqual({
      ...{ message: '1 embedding uploaded', uploaded: ['x'] },
    })
    const chosen = { text_ids: ['x'] }
    const deleted = await answerTo('POST', `${path}/delete?dry_run=false`, chosen)
    expect(deleted.deleted_count).toBe(1)
    const instance = `/v1/llm-services/${project.owner.handle}/model?force=false`
    await answerTo('PATCH', instance, { description: 'small' })
  })
})

describe('a search by vector, told in the URL and in the body', () => {
  const search = (query: string, options: object) =>
    answerTo('POST', `${project.path('similars')}?${query}`, { vector, ...options })

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
    expect((await search(query, options)).results).toHaveLength(found)
  })

  it('takes parts and switches from where they are asked for', async () => {
    const shown = { id: 't00', similarity: 1, metadata: { even: true } }
    const wanted = { include: ['metadata'], totals: true }
    for (const [query, options] of [
      ['include=&totals=false', wanted],
      ['include=metadata&totals=true', { include: [], totals: false }],
    ] as const) {
      const { results, total_similar } = await search(query, options)
      expect([results[0], total_similar]).toEqual([shown, 11])
    }
    const groups = { group_by: 'even', group_size: 1 }
    expect((await search('group_by=even&group_size=2', groups)).results).toHaveLength(4)
    expect((await search('group_size=1', groups)).results).toHaveLength(2)
  })
})
