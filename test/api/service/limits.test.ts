import { afterAll, describe, expect, it } from 'vitest'
import { adminKey, maxBodyBytes } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import { startServiceOfAnn } from '../../support/servers/service-of-ann.ts'

it('GET /v1/limits needs no key', async () => {
  const { status, body } = await call('GET', '/v1/limits')
  expect(status).toBe(200)
  expect(body).not.toHaveProperty('requests_per_minute')
  expect(body).toMatchObject({
    max_body_bytes: maxBodyBytes,
    max_other_body_bytes: 1024 * 1024,
    max_body_bytes_in_flight: 64 * 1024 * 1024,
    min_body_bytes_per_second: 16_384,
    max_text_bytes: 1024 * 1024,
    content_encodings: ['gzip', 'deflate'],
    max_embeddings_per_upload: 100_000,
    max_dimensions: 16_000,
    max_limit: 200,
    max_scan_components: 10_000_000_000,
  })
})

describe('with a rate limit', async () => {
  const rateLimit = 3
  const service = await startServiceOfAnn({ rateLimit })
  afterAll(service.close)

  const get = (path: string, key?: string) => service.call('GET', path, { key })
  const newKey = async (handle: string): Promise<string> =>
    (await service.send('PUT', `/v1/users/${handle}`, {})).body.api_key
  const statusesOf = async (path: string, key: string | undefined, times: number) => {
    const statuses = []
    for (let time = 0; time < times; time += 1) statuses.push((await get(path, key)).status)
    return statuses
  }

  it('answers 429 with Retry-After to a user who sends more, refused requests included', async () => {
    const { key } = service
    expect(await statusesOf('/v1/users/ann', key, 1)).toEqual([200])
    expect(await statusesOf('/v1/users/bob', key, 2)).toEqual([403, 403])
    const answer = await get('/v1/users/ann', key)
    expect(answer.status).toBe(429)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(50)
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect(answer.body).toEqual({
      title: 'Too Many Requests',
      status: 429,
      detail: expect.stringMatching(
        /^The limit of 3 requests a minute is reached; try again in \d+ s$/,
      ),
    })
  })

  it('says in each answer what is left', async () => {
    const key = await newKey('dan')
    const told = async () => {
      const { headers } = await get('/v1/users/dan', key)
      return [headers.get('ratelimit-policy'), headers.get('ratelimit')?.replace(/t=\d+/, 't=…')]
    }
    const policy = '"requests";q=3;w=60'
    expect(await told()).toEqual([policy, '"requests";r=2;t=…'])
    await told()
    expect(await told()).toEqual([policy, '"requests";r=0;t=…'])
    expect(await told()).toEqual([policy, '"requests";r=0;t=…'])
    expect((await get('/v1/limits')).headers.has('ratelimit')).toBe(false)
  })

  it('counts each user alone, and not the administrator, unknown keys or what needs no key', async () => {
    const [bob, eve] = [await newKey('bob'), await newKey('eve')]
    expect(await statusesOf('/v1/users/bob', bob, 4)).toEqual([200, 200, 200, 429])
    expect(await statusesOf('/v1/users/eve', eve, 1)).toEqual([200])
    expect(await statusesOf('/v1/users/bob', adminKey, 5)).toEqual(Array(5).fill(200))
    expect(await statusesOf('/v1/users/bob', 'smb_unknown', 5)).toEqual(Array(5).fill(401))
    expect(await statusesOf('/v1/users/bob', undefined, 5)).toEqual(Array(5).fill(401))
    expect(await statusesOf('/v1/api-standards', bob, 5)).toEqual(Array(5).fill(200))
  })

  it('says so among the limits', async () => {
    expect((await get('/v1/limits')).body).toMatchObject({ requests_per_minute: rateLimit })
  })
})
