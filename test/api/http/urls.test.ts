import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminKey } from '../../support/app.ts'
import { embedding } from '../../support/factories.ts'
import { type ServiceOfAnn, startServiceOfAnn } from '../../support/servers/service-of-ann.ts'

const publicUrl = 'https://example.org/semblance'
const project = { instance_owner: 'ann', instance_handle: 'model', public_read: true }

const service = await startServiceOfAnn({ publicUrl, trustProxy: true }, 2)
afterAll(service.close)
await service.addProject('texts', project)
await service.upload(
  'texts',
  ['a/b', 'c', 'd'].map((id) => embedding(id, [1, 0])),
)

const get = (path: string, headers = {}) => service.app.request(path, { headers })

// A proxy may pass the path on as it is, or without what it knows itself.
it.each(['/semblance', ''])(
  'URLs of answers are those of clients, for requests below %j',
  async (at) => {
    const headers = { 'X-Forwarded-Host': 'other.example' }
    const found = await get(`${at}/v1/similars/ann/texts/a%2Fb?threshold=0`, headers)
    expect(await found.json()).toMatchObject({
      $schema: `${publicUrl}/v1/schemas/similarity-response.json`,
      results: [{ id: 'c' }, { id: 'd' }],
    })
    const list = await get(`${at}/v1/embeddings/ann/texts?limit=1`)
    const next = `${publicUrl}/v1/embeddings/ann/texts?limit=1&after=a%2Fb`
    expect(list.headers.get('link')).toBe(`<${next}>; rel="next"`)
    const document = await get(`${at}/openapi.json`)
    const servers = [{ url: '/semblance', description: 'This server' }]
    expect(await document.json()).toMatchObject({ servers })
    const headersOfAdmin = { Authorization: `Bearer ${adminKey}` }
    const made = { method: 'PUT', headers: headersOfAdmin, body: JSON.stringify(project) }
    const path = `/v1/projects/ann/below${at.length}`
    const created = await service.app.request(at + path, made)
    expect(created.headers.get('location')).toBe(`/semblance${path}`)
    const welcome = await get(`${at}/`)
    expect(await welcome.json()).toMatchObject({ documentation: '/semblance/docs' })
    const page = await get(`${at}/explore/ann/texts`)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<a href="../../docs">')
  },
)

it('other paths are no paths of the service', async () => {
  for (const path of ['/semblances/livez', '/semblance/semblance/livez', '/other/livez']) {
    expect((await get(path)).status, path).toBe(404)
  }
})

it('leads from the path without a slash at its end to the first page', async () => {
  const { status, headers } = await get('/semblance')
  expect([status, headers.get('location')]).toEqual([308, '/semblance/'])
})

const schemaPath = '/v1/schemas/similarity-response.json'
const own = 'http://localhost:8880'

const cases: [headers: Record<string, string>, origin: string][] = [
  [{}, own],
  [{ 'X-Forwarded-Proto': 'https' }, 'https://localhost:8880'],
  [{ 'X-Forwarded-Host': 'search.example.org' }, 'http://search.example.org'],
  [
    { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'search.example.org' },
    'https://search.example.org',
  ],
  [
    { 'X-Forwarded-Proto': 'HTTPS, http', 'X-Forwarded-Host': 'a.example:8443, b.example' },
    'https://a.example:8443',
  ],
  [
    { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': '[2001:db8::1]:80' },
    'https://[2001:db8::1]:80',
  ],
  ...['javascript', 'ftp', 'https:', ' ', 'http//'].map((proto): (typeof cases)[number] => [
    { 'X-Forwarded-Proto': proto },
    own,
  ]),
  ...['a b', 'a/b', 'user@a', 'a:99999', 'a:', '?x', '#', '[::', '"', '..%2f'].map(
    (host): (typeof cases)[number] => [{ 'X-Forwarded-Host': host }, own],
  ),
]

describe('behind a trusted proxy', () => {
  let trusting: ServiceOfAnn
  beforeAll(async () => {
    trusting = await startServiceOfAnn({ trustProxy: true }, 2)
    await trusting.addProject('texts')
  })
  afterAll(() => trusting.close())

  it.each(cases)('%j means the origin %s', async (headers, origin) => {
    const search = { key: adminKey, headers, body: { vector: [1, 0] } }
    const { body } = await trusting.call('POST', '/v1/similars/ann/texts', search)
    expect(body.$schema).toBe(origin + schemaPath)
  })
})
