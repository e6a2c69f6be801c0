import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adminKey } from '../../support/app.ts'
import { recordedLog } from '../../support/log.ts'
import { startOwnService } from '../../support/servers/own-service.ts'

const { log, lines } = recordedLog()
let service: Awaited<ReturnType<typeof startOwnService>>
beforeAll(async () => {
  service = await startOwnService({ log })
})
afterAll(() => service.close())
beforeEach(() => void lines.splice(0))

async function send(method: string, path: string, key?: string, body?: object) {
  const headers = {
    'X-Request-Id': 'run-1',
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
  }
  const text = body === undefined ? null : JSON.stringify(body)
  return service.app.request(path, { method, headers, body: text })
}

describe('the log', () => {
  it('has a line for each request, with the pattern of its path and its caller', async () => {
    const created = await send('PUT', '/v1/users/alice', adminKey, { name: 'Alice' })
    const { api_key } = Object(await created.json())
    await send('GET', '/v1/users/alice', api_key)
    await send('GET', '/v1/users/bob', api_key)
    await send('GET', '/v1/projects/alice/missing')
    await send('GET', '/v1/users/alice', 'smb_of-nobody')
    await send('GET', '/v1/nothing/here')
    const user = '/v1/users/{user}'
    const project = '/v1/projects/{user}/{project}'
    const refused = { level: 'debug', msg: 'request refused' }
    const unauthorized = {
      level: 'info',
      msg: 'request refused',
      detail: 'Invalid or missing authorization credentials',
    }
    expect(lines).toEqual(
      [
        { method: 'PUT', route: user, status: 201, caller: '_admin' },
        { method: 'GET', route: user, status: 200, caller: 'alice' },
        {
          ...unauthorized,
          ...{ method: 'GET', route: user, status: 403, caller: 'alice', user: 'bob' },
          ...{ role: 'none', needs: 'owner' },
          detail: expect.stringMatching(/\S+/),
        },
        {
          ...unauthorized,
          ...{ method: 'GET', route: project, status: 401, caller: '_nobody' },
          ...{ user: 'alice', project: 'missing' },
        },
        {
          ...unauthorized,
          ...{ method: 'GET', route: user, status: 401, caller: '_nobody', user: 'alice' },
        },
        {
          ...refused,
          ...{ method: 'GET', route: 'none', status: 404, caller: '_nobody' },
          detail: expect.stringMatching(/\S+/),
        },
      ].map((request) => ({
        level: 'debug',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        id: 'run-1',
        ms: expect.any(Number),
        msg: 'request',
        ...request,
      })),
    )
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
    const answer = await send('GET', `/v1/users/${handle}`, adminKey)
    await service.database.short.db.execute(sql`alter table hidden rename to users`)
    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toMatch(/select|users|relation/)
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
})
