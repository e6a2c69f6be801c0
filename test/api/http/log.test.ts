import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adminKey } from '../../support/app.ts'
import { recordedLog } from '../../support/log.ts'
import { databaseForSeveral } from '../../support/servers/own-database.ts'
import { type ServiceOfAnn, startServiceOfAnn } from '../../support/servers/service-of-ann.ts'

const { log, lines } = recordedLog()
const base = 'http://localhost'
let service: ServiceOfAnn
let databases: Awaited<ReturnType<typeof databaseForSeveral>>

beforeAll(async () => {
  databases = await databaseForSeveral()
})
afterAll(() => databases.close())

const request = (method: string, path: string, key?: string, body?: object) =>
  service.call(method, path, { key, body, headers: { 'X-Request-Id': 'run-1' } })

/** @returns the last line that is written about it */
async function send(path: string, headers: Record<string, string> = {}, body?: string) {
  const method = body === undefined ? 'GET' : 'PUT'
  const request = new Request(base + path, { method, headers, body: body ?? null })
  await service.app.fetch(request, { peer: () => '::ffff:192.0.2.7' })
  return lines.at(-1)
}
const bearer = (given: string) => ({ Authorization: `Bearer ${given}` })

async function start(options: object) {
  service = await startServiceOfAnn({ log, ...options }, 3, databases.open)
}
beforeEach(() => void lines.splice(0))

describe('the log', () => {
  beforeAll(() => start({}))
  afterAll(() => service.close())

  it('has a line for each request, with the pattern of its path and its caller', async () => {
    const { key } = service
    await request('PUT', '/v1/users/alice', adminKey, { name: 'Alice' })
    await request('GET', '/v1/users/ann', key)
    await request('GET', '/v1/users/bob', key)
    await request('GET', '/v1/projects/ann/missing')
    await request('GET', '/v1/users/ann', 'smb_of-nobody')
    await request('GET', '/v1/nothing/here')
    const [user, project] = ['/v1/users/{user}', '/v1/projects/{user}/{project}']
    const line = (status: number, caller: string, route: string, others: object = {}) => ({
      ...{ level: 'debug', msg: 'request', id: 'run-1', method: 'GET', status, caller, route },
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      ms: expect.any(Number),
      ...others,
    })
    const refused = { msg: 'request refused', detail: expect.stringMatching(/\S+/) }
    const denied = { ...refused, level: 'info' }
    const unauthorized = { ...denied, detail: 'Invalid or missing authorization credentials' }
    expect(lines).toEqual([
      line(201, '_admin', user, { method: 'PUT' }),
      line(200, 'ann', user),
      line(403, 'ann', user, { ...denied, user: 'bob', role: 'none', needs: 'owner' }),
      line(401, '_nobody', project, { ...unauthorized, user: 'ann', project: 'missing' }),
      line(401, '_nobody', user, { ...unauthorized, user: 'ann' }),
      line(404, '_nobody', 'none', refused),
    ])
  })

  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  it.each([
    [`00-${trace}-00f067aa0ba902b7-01`, trace],
    [`cc-${trace}-00f067aa0ba902b7-01-what-comes-later`, trace],
    [`00-${trace}-00f067aa0ba902b7-01-more`, undefined],
    [`ff-${trace}-00f067aa0ba902b7-01`, undefined],
    [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, undefined],
    [`00-${trace}-${'0'.repeat(16)}-01`, undefined],
    [`00-${trace.toUpperCase()}-00f067aa0ba902b7-01`, undefined],
    ['"}', undefined],
  ])('has the trace of %s', async (traceparent, trace_id) => {
    await service.app.request('/v1/limits', { headers: { traceparent } })
    expect(lines[0]?.['trace_id']).toBe(trace_id)
  })

  it('says why the database did not answer, with the statement but without its values', async () => {
    await service.database.short.db.execute(sql`alter table users rename to hidden`)
    const handle = 'a-handle-that-is-a-parameter'
    const answer = await request('GET', `/v1/users/${handle}`, adminKey)
    await service.database.short.db.execute(sql`alter table hidden rename to users`)
    expect(answer.status).toBe(500)
    expect(answer.body.detail).not.toMatch(/select|users|relation/)
    const [failure] = lines
    expect(failure).toMatchObject({ level: 'error', id: 'run-1', msg: 'a request failed' })
    expect(failure?.['cause']).toMatch(/query failed: select .*relation "users" does not exist/s)
    expect(JSON.stringify(lines)).not.toContain(handle)
  })

  it('keeps to what matters unless it is verbose', async () => {
    const quiet = recordedLog(false)
    quiet.log.debug('a detail')
    quiet.log.info('an event')
    expect(quiet.lines).toMatchObject([{ level: 'info', msg: 'an event' }])
  })

  it('of a refused request has the address of its client, of the socket alone', async () => {
    const forwarded = { 'X-Forwarded-For': '198.51.100.1', ...bearer('smb_of-nobody') }
    expect(await send('/v1/users/ann', forwarded)).toMatchObject({
      level: 'info',
      client: '192.0.2.7',
      status: 401,
      msg: 'request refused',
    })
    const served = await send('/v1/users/ann', bearer(service.key))
    expect(served, 'which others have not').not.toHaveProperty('client')
  })

  it('of a refused request has the role of its caller and the one that is needed, also for what the caller may not know', async () => {
    const needs = (names: string) => ({ level: 'info', status: 403, role: 'none', needs: names })
    const headers = bearer(service.key)
    expect(await send('/v1/users/bob', headers)).toMatchObject(needs('owner'))
    expect(await send('/v1/users', headers)).toMatchObject(needs('administrator'))
    expect(await send('/v1/projects/bob/verses', headers)).toMatchObject({
      ...needs('reader, editor or owner'),
      detail: 'You have no permission for this operation',
    })
    expect(await send('/v1/projects/ann/verses', headers)).not.toHaveProperty('needs')
  })

  it('shows no key, wherever a client has written one', async () => {
    const { key } = service
    const paths = [`/v1/users/${key}`, `/v1/projects/${key}/${key}`, `/v1/${key}`]
    for (const path of paths) {
      await send(path, bearer(key))
      await send(path)
    }
    await send(`/v1/users/${adminKey}`, bearer(adminKey))
    const broken = `{"endpoint": "https://a.example", "api_key_encrypted": "provider-secret", x}`
    const instance = '/v1/llm-services/ann/tiny'
    expect(await send(instance, bearer(key), broken)).toMatchObject({ status: 400 })
    const wrong = '{"api_key_encrypted": ["provider-secret"]}'
    expect(await send(instance, bearer(key), wrong)).toMatchObject({ status: 400 })
    await send('/v1/similars/ann/p?count=provider-secret', bearer(key))
    expect(lines.length).toBe(10)
    const text = JSON.stringify(lines)
    for (const secret of [key, adminKey, 'provider-secret']) expect(text).not.toContain(secret)
    expect(text).toContain('There is nothing at /v1/smb_…')
  })

  it('is short, however long a path is', async () => {
    const line = await send(`/v1/users/${'u'.repeat(5_000)}`, bearer(adminKey))
    expect(JSON.stringify(line).length).toBeLessThan(2_000)
  })
})

describe('behind a proxy that is trusted', () => {
  beforeAll(() => start({ trustProxy: true }))
  afterAll(() => service.close())

  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['10.0.0.1, 2001:db8::1', '2001:db8::1'],
    ['198.51.100.1:50000', '198.51.100.1'],
    ['198.51.100.1, [2001:db8::1]:50000', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['198.51.100.1, 999.0.2.1:80', '192.0.2.7'],
    ['198.51.100.1, nonsense"', '192.0.2.7'],
    ['', '192.0.2.7'],
  ])('the client is the last of X-Forwarded-For: %s', async (given, client) => {
    expect(await send('/v1/users/ann', { 'X-Forwarded-For': given })).toMatchObject({ client })
  })
})

describe('a request that takes longer than is set', () => {
  // Every request does.
  beforeAll(() => start({ slowRequest: 1e-9 }))
  afterAll(() => service.close())

  it('is a warning, with what it spent where that is known', async () => {
    const body = JSON.stringify({ name: 'Ann' })
    expect(await send('/v1/users/ann', bearer(adminKey), body)).toMatchObject({
      level: 'warn',
      msg: 'slow request',
      route: '/v1/users/{user}',
      client: '192.0.2.7',
      caller: '_admin',
      spent: { access: expect.any(Number), body: expect.any(Number) },
      bytes: body.length,
    })
  })
})
