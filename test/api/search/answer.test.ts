import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { searchBy, searchFrom } from '../../support/data/similars.ts'
import { addProject, embedding, newProject, upload } from '../../support/factories.ts'

async function projectOfTwo() {
  const project = await newProject({}, { dimensions: 2 })
  await upload(project, embedding('a', [1, 0]), embedding('b', [1, 0.1]))
  return project
}

describe('the answer of a search', () => {
  it('names the schema, the owner and the project', async () => {
    const project = await projectOfTwo()
    for (const search of [searchFrom(project, 'a'), searchBy(project, [1, 0], { limit: 1 })]) {
      const { body } = await search
      expect(body).toEqual({
        $schema: expect.stringMatching(/^http:\/\/localhost:8880\//),
        user_handle: project.owner.handle,
        project_handle: 'texts',
        results: [{ id: expect.any(String), similarity: expect.any(Number) }],
      })
    }
  })

  it('says in Server-Timing what it took', async () => {
    const project = await projectOfTwo()
    const { headers } = await searchBy(project, [1, 0])
    const parts = headers.get('server-timing') ?? ''
    const names = [...parts.matchAll(/([\w-]+);dur=\d+\.\d/g)].map(([, name]) => name)
    expect(names.sort()).toEqual(['access', 'body', 'database-exact', 'total'])
    const other = await call('GET', project.path(), project.owner)
    expect(other.headers.has('server-timing')).toBe(false)
  })

  it.each(['http://search.example.org', 'http://search.example.org:1234', 'https://[::1]:8443'])(
    'has its schema on the host of the request: %s',
    async (host) => {
      const project = await projectOfTwo()
      const path = `${project.path('similars')}/a?limit=1`
      const { body } = await call('GET', host + path, project.owner)
      expect(new URL(body.$schema).origin).toBe(host)
      expect(body.$schema).not.toContain('?')
      expect((await call('GET', body.$schema)).status).toBe(200)
    },
  )

  it('has its schema there whatever anybody says was forwarded', async () => {
    const project = await projectOfTwo()
    const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example' }
    const { key } = project.owner
    const { body } = await call('GET', `${project.path('similars')}/a`, { key, headers })
    expect(new URL(body.$schema).origin).toBe('http://localhost:8880')
  })

  it('satisfies that schema, which wrong answers do not', async () => {
    const project = await projectOfTwo()
    const { body } = await searchFrom(project, 'a')
    const schema = await call('GET', body.$schema)
    expect(schema.headers.get('content-type')).toBe('application/schema+json')
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema.body)
    expect(validate(body), JSON.stringify(validate.errors)).toBe(true)
    const empty = await searchBy(await addProject(project.owner, 'empty'), [1, 0])
    expect(validate(empty.body)).toBe(true)
    for (const wrong of [
      {},
      { ...body, results: undefined },
      { ...body, results: [{ id: 'a' }] },
      { ...body, results: [{ id: 'a', similarity: 1.5 }] },
      { ...body, results: [{ id: 7, similarity: 0.5 }] },
    ]) {
      expect(validate(JSON.parse(JSON.stringify(wrong)))).toBe(false)
    }
  })
})
