import { beforeAll, describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

let project: Project
beforeAll(async () => {
  project = await newProject({}, { dimensions: 2 })
  await upload(project, embedding('a', [1, 0]), embedding('b', [1, 1]))
})

const pages: Readonly<Record<string, (query: string) => ReturnType<typeof call>>> = {
  'a list of embeddings': (query) => get(`${project.path('embeddings')}?${query}`),
  'a search from a document': (query) => get(`${project.path('similars')}/a?${query}`),
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
