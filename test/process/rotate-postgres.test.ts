import { setTimeout as sleep } from 'node:timers/promises'
import { asc, sql } from 'drizzle-orm'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { instances } from '../../src/db/schema.ts'
import { node, toItsEnd } from '../support/servers/program.ts'
import {
  migration,
  newKey,
  open,
  rotation,
  secrets,
  withKey,
  wrongKey,
} from '../support/servers/rotation.ts'
import { request, startServer, stop } from '../support/servers/server.ts'
import { databaseUrl, postgresSite, type Site } from '../support/servers/site.ts'
import { createSecrets, putAnn, putProviderKey } from '../support/servers/stored-secrets.ts'

async function fill(site: Site) {
  const server = await startServer(node, site)
  const ann = await createSecrets(server)
  await stop(server)
  return ann
}

describe.skipIf(databaseUrl === undefined)('a rotation on PostgreSQL', () => {
  it('of two at once lets one succeed', async () => {
    const site = await postgresSite()
    const ann = await fill(site)
    const keys = [`${newKey}-1`, `${newKey}-2`]
    const outcomes = await Promise.all(keys.map((key) => toItsEnd(rotation(site, node, key))))
    expect(outcomes.map(({ exit }) => exit).sort()).toEqual([0, 1])
    expect(outcomes).toContainEqual(wrongKey)
    const winner = keys.find((_, index) => outcomes[index]?.exit === 0) ?? ''
    expect(await putAnn(await startServer(node, withKey(site, winner)))).toEqual(ann)
  })

  it('that is killed leaves the old key working', async () => {
    const site = await postgresSite()
    const ann = await fill(site)
    const database = await open(site)
    onTestFinished(() => database.close())
    const rotating = rotation(site)
    // It cannot end while somebody else holds the row of the instance.
    await database.short.transaction(async ({ db }) => {
      await db.select().from(instances).orderBy(asc(instances.instanceId)).for('update')
      await waiting(database)
      rotating.signal('SIGKILL')
      expect(await rotating.exit).toBe('SIGKILL')
      expect(rotating.stderr).toContain('re-sealed 1 rows of users')
    })
    expect(await toItsEnd(migration(withKey(site, newKey)))).toEqual(wrongKey)
    const server = await startServer(node, site)
    expect(await putAnn(server)).toEqual(ann)
  })

  it('makes a server that still runs refuse to seal, at once while it goes on and afterwards', async () => {
    const site = await postgresSite()
    const ann = await fill(site)
    const server = await startServer(node, site)
    const database = await open(site)
    onTestFinished(() => database.close())
    const rotating = rotation(site)
    await database.short.transaction(async ({ db }) => {
      await db.select().from(instances).for('update')
      await waiting(database)
      const bob = await request(server, 'PUT', '/v1/users/bob', {})
      expect(bob.status).toBe(503)
    })
    expect(await rotating.exit).toBe(0)

    const message =
      'ENCRYPTION_KEY was rotated while this server ran; it must be restarted with the new key'
    const outdated = { status: 503, body: { detail: message } }
    expect(await putAnn(server)).toMatchObject(outdated)
    expect(await request(server, 'PUT', '/v1/users/bob', {})).toMatchObject(outdated)
    expect(await putProviderKey(server, 'other-secret')).toMatchObject(outdated)
    expect(server.program.stderr).toContain(`"msg":"${message}"`)
    const read = await request(server, 'GET', '/v1/users/ann')
    expect(read).toMatchObject({ status: 200 })
    await stop(server)

    const restarted = await startServer(node, withKey(site, newKey))
    expect(await putAnn(restarted)).toEqual(ann)
    expect(await request(restarted, 'GET', '/v1/users/bob')).toMatchObject({ status: 404 })
    expect((await secrets(site, newKey)).texts).toContain('provider-secret')
  })
})

/** Resolves when another session waits for a row that is locked. */
async function waiting({ short: { db } }: Database): Promise<void> {
  for (let left = 2_000; left > 0; left -= 1) {
    const [row] = await db
      .select({ count: sql`count(*)`.mapWith(Number) })
      .from(sql`pg_stat_activity`)
      .where(sql`datname = current_database() and wait_event = 'transactionid'`)
    if (row !== undefined && row.count > 0) return
    await sleep(10)
  }
  throw new Error('nobody waits')
}
