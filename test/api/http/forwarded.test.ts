import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminKey } from '../../support/app.ts'
import { type ServiceOfAnn, startServiceOfAnn } from '../../support/servers/service-of-ann.ts'

let service: ServiceOfAnn
beforeAll(async () => {
  service = await startServiceOfAnn({ trustProxy: true }, 2)
  await service.addProject('texts')
})
afterAll(() => service.close())

const schemaPath = '/v1/schemas/similarity-response.json'
const own = 'http://localhost:8880'

/** The origin of `$schema` in the answer to a request with these headers. */
async function originFor(headers: Record<string, string>): Promise<string> {
  const search = { key: adminKey, headers, body: { vector: [1, 0] } }
  const { body } = await service.call('POST', '/v1/similars/ann/texts', search)
  expect(body.$schema.endsWith(schemaPath)).toBe(true)
  return body.$schema.slice(0, -schemaPath.length)
}

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
  it.each(cases)('%j means the origin %s', async (headers, origin) => {
    expect(await originFor(headers)).toBe(origin)
  })
})
