import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { adminKey } from '../../support/app.ts'
import { recordedLog } from '../../support/log.ts'
import { databaseForSeveral } from '../../support/servers/own-database.ts'
import { startOwnService } from '../../support/servers/own-service.ts'

const { log, lines } = recordedLog()
const base = 'http://localhost'
let service: Awaited<ReturnType<typeof startOwnService>>
let databases: Awaited<ReturnType<typeof databaseForSeveral>>
let key = ''

beforeAll(async () => {
  databases = await databaseForSeveral()
})
afterAll(() => databases.close())

async function send(path: string, headers: Record<string, string> = {}, body?: string) {
  const method = body === undefined ? 'GET' : 'PUT'
  const request = new Request(base + path, { method, headers, body: body ?? null })
  await service.app.fetch(request, { peer: () => '::ffff:192.0.2.7' })
  return lines.at(-1)
}
const bearer = (given: string) => ({ Authorization: `Bearer ${given}` })

async function start(options: object) {
  service = await startOwnService({ log, ...options }, true, databases.open)
  const method = 'PUT'
  const made = await service.app.request('/v1/users/ann', {
    method,
    headers: bearer(adminKey),
    body: '{}',
  })
  key = z.object({ api_key: z.string() }).parse(await made.json()).api_key
}
beforeEach(() => void lines.splice(0))

describe('the line of a refused request', () => {
  beforeAll(() => start({}))
  afterAll(() => service.close())

  it('has the address of its client, of the socket alone', async () => {
    const forwarded = { 'X-Forwarded-For': '198.51.100.1', ...bearer('smb_of-nobody') }
    expect(await send('/v1/users/ann', forwarded)).toMatchObject({
      level: 'info',
      client: '192.0.2.7',
      status: 401,
      msg: 'request refused',
    })
    expect(await send('/v1/users/ann', bearer(key)), 'which others have not').not.toHaveProperty(
      'client',
    )
  })

  it('has the role of its caller and the one that is needed, also for what the caller may not know', async () => {
    const needs = (names: string) => ({ level: 'info', status: 403, role: 'none', needs: names })
    expect(await send('/v1/users/bob', bearer(key))).toMatchObject(needs('owner'))
    expect(await send('/v1/users', bearer(key))).toMatchObject(needs('administrator'))
    const hidden = await send('/v1/projects/bob/verses', bearer(key))
    expect(hidden).toMatchObject({
      ...needs('reader, editor or owner'),
      detail: 'You have no permission for this operation',
    })
    expect(await send('/v1/projects/ann/verses', bearer(key))).not.toHaveProperty('needs')
  })

  it('shows no key, wherever a client has written one', async () => {
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
  beforeAll(() => start({ slowMs: 1e-9 }))
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
