import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, it } from 'vitest'
import { startOwnService } from '../../support/servers/own-service.ts'

const service = await startOwnService()
afterAll(service.close)

async function get(path: string) {
  const answer = await service.app.request(path)
  const body: unknown = await answer.json()
  return { status: answer.status, body }
}
const run = (text: string) => service.database.short.db.execute(sql.raw(text))
const notReady = (detail: string) => ({
  status: 503,
  body: { title: 'Service Unavailable', status: 503, detail },
})
const ok = { status: 200, body: { status: 'ok' } }

describe('/readyz', () => {
  it('asks the database, /livez does not', async () => {
    expect(await get('/readyz')).toEqual(ok)
    expect(await get('/livez')).toEqual(ok)
  })

  it('says what the database lacks', async () => {
    const lacking = notReady('The database lacks migrations; run "semblance migrate"')
    const table = 'drizzle.__drizzle_migrations'
    await run(`create table kept as table ${table}`)
    await run(`delete from ${table} where created_at = (select max(created_at) from ${table})`)
    expect(await get('/readyz')).toEqual(lacking)
    await run('alter schema drizzle rename to hidden')
    expect(await get('/readyz')).toEqual(lacking)
    await run('alter schema hidden rename to drizzle')
    await run(`delete from ${table}`)
    await run(`insert into ${table} table kept`)
    expect(await get('/readyz')).toEqual(ok)

    await run('drop extension vector cascade')
    expect(await get('/readyz')).toEqual(notReady('The database has no extension pgvector'))
    expect(await get('/livez')).toEqual(ok)
  })
})
