import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openPostgres } from '../../src/db/postgres/engine.ts'
import { prepareDatabase } from '../../src/db/prepare.ts'
import { embedding } from '../support/factories.ts'
import { askerOf, makeProject } from '../support/servers/own-projects.ts'
import { startOwnService } from '../support/servers/own-service.ts'

/** What a later version may do while servers of this one go on, as CONTRIBUTING.md lists it. */
const additive = (name: string) => [
  `create table ${name} (project_id bigint primary key, noted text not null)`,
  `alter table ${name} add constraint ${name}_project foreign key (project_id) references projects (project_id) on delete cascade`,
  `create index ${name}_noted on ${name} (noted)`,
  `alter table users add column ${name} text`,
  `alter table instances add column ${name} jsonb`,
  `alter table projects add column ${name} text default 'off' not null`,
  `alter table projects add constraint ${name}_is check (${name} in ('off', 'on'))`,
  `alter table collections add column ${name} bigint default 0 not null`,
  `alter table embeddings add column ${name} smallint`,
]

let service: Awaited<ReturnType<typeof startOwnService>>

describe.skipIf(inject('engine') !== 'postgres')('a server, while a newer one migrates', () => {
  beforeAll(async () => {
    service = await startOwnService()
  })
  afterAll(() => service.close())

  it('serves, and loses nothing', async () => {
    const send = askerOf(service)
    await makeProject(send, 'ann/texts', 3)
    let isOver = false
    const statuses = new Set<string>()
    const stored: string[] = []
    const work = async (client: number) => {
      for (let each = 0; !isOver; each += 1) {
        const id = `${client}-${each}`
        const embeddings = [embedding(id, [each + 1, client + 1, 1])]
        const upload = await send('POST', '/v1/embeddings/ann/texts', { embeddings })
        if (upload.status === 201) stored.push(id)
        const search = await send('GET', `/v1/similars/ann/texts/${id}?include_self=true&count=1`)
        const user = await send('PUT', `/v1/users/user-${client}`, { name: id })
        const project = await send('PATCH', '/v1/projects/ann/texts', { description: id })
        statuses.add([upload, search, user, project].map(({ status }) => status).join())
      }
    }
    const clients = [0, 1, 2].map(work)
    const newer = await openPostgres(service.place ?? expect.fail('there is no PostgreSQL'))
    for (let migration = 0; migration < 5; migration += 1) {
      await prepareDatabase(newer, async ({ db }) => {
        for (const statement of additive(`later_${migration}`)) await db.execute(sql.raw(statement))
      })
      await sleep(100)
    }
    isOver = true
    await Promise.all(clients)
    await newer.close()

    // The first of each client has created its user.
    expect([...statuses].sort()).toEqual(['201,200,200,200', '201,200,201,200'])
    const { body } = await send('POST', '/v1/embeddings/ann/texts/missing', {
      items: stored.map((text_id) => ({ text_id })),
    })
    expect(body).toMatchObject({ missing_count: 0 })
    expect((await send('GET', '/readyz')).status).toBe(200)
    expect((await send('DELETE', '/v1/users/ann')).status).toBe(200)
  })
})
