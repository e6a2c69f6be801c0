import { asc, sql } from 'drizzle-orm'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { instances } from '../../src/db/schema.ts'
import { readAnn } from '../support/servers/prepared.ts'
import { node, toItsEnd } from '../support/servers/program.ts'
import {
  filledSite,
  isEmbedded,
  migration,
  newKey,
  oldKeyOf,
  open,
  rotated,
  rotation,
  secrets,
  withKey,
  wrongKey,
} from '../support/servers/rotation.ts'
import { request, type Stage, stages, startServer, stop } from '../support/servers/server.ts'
import { databaseUrl, postgresSite } from '../support/servers/site.ts'
import { createSecrets, putAnn, putProviderKey } from '../support/servers/stored-secrets.ts'

/** On the embedded database it takes what another server has left. */
async function filled(newSite: Stage['site'], runtime = node) {
  const site = await newSite()
  if (isEmbedded(site)) {
    return { site: await filledSite(), ann: await readAnn(inject('prepared')) }
  }
  const first = await startServer(runtime, site)
  const ann = await createSecrets(first)
  await stop(first)
  return { site, ann }
}

for (const { title, runtime, site: newSite } of stages) {
  describe(`a rotation (${title})`, () => {
    it('seals everything with the new key, and the old one is refused', async () => {
      const { site, ann } = await filled(newSite, runtime)
      const oldKey = await oldKeyOf(site)
      const before = await secrets(site, oldKey)
      const { exit, stdout, stderr } = await toItsEnd(rotation(site, runtime))
      expect(exit).toBe(0)
      expect(stdout).toMatch(/^Sealed the keys of 1 users and 1 instances with the new key\n.*\n$/)
      expect(stderr).toMatch(/^re-sealed 1 rows of users\nre-sealed 1 rows of instances\n$/)
      expect(stdout + stderr).not.toMatch(new RegExp(`smb_|provider-secret|${newKey}|${oldKey}`))

      const after = await secrets(site, newKey)
      expect(after.texts).toEqual(before.texts)
      expect(new Set([...after.forms, ...before.forms]).size).toBe(2)
      expect(await toItsEnd(migration(withKey(site, oldKey), runtime))).toEqual(wrongKey)
      const server = await startServer(runtime, rotated(site))
      expect(await putAnn(server)).toEqual(ann)
    })
  })
}

describe.skipIf(databaseUrl === undefined)('a rotation on PostgreSQL', () => {
  it('of two at once lets one succeed', async () => {
    const { site, ann } = await filled(postgresSite)
    const keys = [`${newKey}-1`, `${newKey}-2`]
    const outcomes = await Promise.all(keys.map((key) => toItsEnd(rotation(site, node, key))))
    expect(outcomes.map(({ exit }) => exit).sort()).toEqual([0, 1])
    expect(outcomes).toContainEqual(wrongKey)
    const winner = keys.find((_, index) => outcomes[index]?.exit === 0) ?? ''
    expect(await putAnn(await startServer(node, withKey(site, winner)))).toEqual(ann)
  })

  it('that is killed leaves the old key working', async () => {
    const { site, ann } = await filled(postgresSite)
    const database = await open(site)
    onTestFinished(() => database.close())
    const rotating = rotation(site)
    // It cannot end while somebody else holds the row of the instance.
    await database.short.transaction(async ({ db }) => {
      await db.select().from(instances).orderBy(asc(instances.instanceId)).for('update')
      await untilWaitedFor(database)
      rotating.signal('SIGKILL')
      expect(await rotating.exit).toBe('SIGKILL')
      expect(rotating.stderr).toContain('re-sealed 1 rows of users')
    })
    expect(await toItsEnd(migration(withKey(site, newKey)))).toEqual(wrongKey)
    const server = await startServer(node, site)
    expect(await putAnn(server)).toEqual(ann)
  })

  it('makes a server that still runs refuse to seal, at once while it goes on and afterwards', async () => {
    const { site, ann } = await filled(postgresSite)
    const server = await startServer(node, site)
    const database = await open(site)
    onTestFinished(() => database.close())
    const rotating = rotation(site)
    await database.short.transaction(async ({ db }) => {
      await db.select().from(instances).for('update')
      await untilWaitedFor(database)
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

/** Waits until another session waits for a row that is locked. */
const untilWaitedFor = ({ short: { db } }: Database) =>
  expect
    .poll(() =>
      db.$count(sql`pg_stat_activity
        where datname = current_database() and wait_event = 'transactionid'`),
    )
    .toBeGreaterThan(0)
