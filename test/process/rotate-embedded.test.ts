import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eq, sql } from 'drizzle-orm'
import { describe, expect, inject, it } from 'vitest'
import { instances } from '../../src/db/schema.ts'
import { createSealer } from '../../src/secrets/sealing.ts'
import { readAnn } from '../support/servers/prepared.ts'
import { node, refused, toItsEnd } from '../support/servers/program.ts'
import {
  filledSite,
  inDatabase,
  keyFile,
  migration,
  newKey,
  oldKeyOf,
  rotation,
  withKey,
  wrongKey,
} from '../support/servers/rotation.ts'
import { request, startServer, stop } from '../support/servers/server.ts'
import { embeddedSite, givenKeys, preparedSite, type Site } from '../support/servers/site.ts'
import { putAnn } from '../support/servers/stored-secrets.ts'

describe('a rotation of the embedded database', () => {
  it.each([false, true])(
    'replaces the file of the generated key, when its key was given: %s',
    async (given) => {
      const site = await preparedSite()
      const oldKey = await oldKeyOf(site)
      const outcome = await toItsEnd(rotation(given ? withKey(site, oldKey) : site))
      expect(outcome.stdout).toContain(`The new key is in ${keyFile(site)}`)
      expect(await readFile(keyFile(site), 'utf8')).toBe(newKey)
      expect((await stat(keyFile(site))).mode & 0o777).toBe(0o600)
      const names = await readdir(join(site.folder, 'data'))
      expect(names.sort()).toEqual(['admin.key', 'encryption.key', 'pgdata'])
    },
  )

  it('makes no file for a key that was given', async () => {
    const prepared = await preparedSite()
    const oldKey = await oldKeyOf(prepared)
    const site = withKey(prepared, oldKey)
    await rm(keyFile(site))
    const { exit, stdout } = await toItsEnd(rotation(site))
    expect(exit).toBe(0)
    expect(stdout).toContain('Next: set ENCRYPTION_KEY to the new key and start')
    expect(await readdir(join(site.folder, 'data'))).not.toContain('encryption.key')
    expect(await toItsEnd(migration(withKey(site, oldKey)))).toEqual(wrongKey)
    expect(await toItsEnd(migration(withKey(site, newKey)))).toMatchObject({ exit: 0 })
  })

  it.each([
    ['', 'NEW_ENCRYPTION_KEY is missing; set it to at least 32 characters'],
    ['k'.repeat(31), 'NEW_ENCRYPTION_KEY must have at least 32 characters'],
    [`${newKey}\n`, 'NEW_ENCRYPTION_KEY must not begin or end with white space'],
  ])('is refused with the new key %j', async (key, message) => {
    const site = await embeddedSite()
    expect(await toItsEnd(rotation(site, node, key))).toEqual(refused(message))
    expect(await readdir(site.folder)).toEqual([])
  })

  it('is refused with the old key once more, or with a wrong ENCRYPTION_KEY', async () => {
    const site = await preparedSite()
    const same = rotation(site, node, await oldKeyOf(site))
    expect(await toItsEnd(same)).toEqual(
      refused('NEW_ENCRYPTION_KEY must differ from the key in use'),
    )
    const wrong = withKey(site, givenKeys.ENCRYPTION_KEY)
    expect(await toItsEnd(rotation(wrong))).toEqual(wrongKey)
    expect(await toItsEnd(migration(site))).toMatchObject({ exit: 0 })
  })

  it('changes nothing when a secret does not open, and names it', async () => {
    const [site, ann] = [await filledSite(), await readAnn(inject('prepared'))]
    const oldKey = await oldKeyOf(site)
    // The secret of another instance, as when rows were swapped.
    const id = await inDatabase(site, async ({ short: { db } }) => {
      await db.execute(sql`
        insert into instances
          (instance_handle, owner_id, endpoint, api_standard, model, dimensions, key_sealed)
        select 'twin', owner_id, endpoint, api_standard, model, dimensions, key_sealed
        from instances`)
      const [twin] = await db.select().from(instances).where(eq(instances.handle, 'twin'))
      return twin?.instanceId
    })
    const { exit, stderr } = await toItsEnd(rotation(site))
    expect(exit).toBe(1)
    expect(stderr.split('\n').at(-2)).toBe(
      `semblance: nothing was changed: the secret in instances, id ${id}, does not open with ENCRYPTION_KEY; PATCH of that instance with another api_key_encrypted, or null, replaces it`,
    )
    expect(await readdir(join(site.folder, 'data'))).not.toContain('encryption.key.new')
    expect(await oldKeyOf(site)).toBe(oldKey)
    const server = await startServer(node, site)
    expect(await putAnn(server)).toEqual(ann)
  })

  it('leaves a key that works when it is killed', async () => {
    const [site, ann] = [await filledSite(), await readAnn(inject('prepared'))]
    await addUsers(site, 5_000)
    const rotating = rotation(site)
    while (!rotating.stderr.includes('re-sealed 1000 rows')) await sleep(5)
    rotating.signal('SIGKILL')
    await rotating.exit
    const server = await startServer(node, site)
    expect(await putAnn(server)).toEqual(ann)
    const last = await request(server, 'PUT', '/v1/users/user-4999', {})
    expect(last).toMatchObject({ status: 200, body: { api_key: 'key-4999' } })
    await stop(server)
    expect(await toItsEnd(rotation(site, node, `${newKey}2`))).toMatchObject({ exit: 0 })
  })
})

describe('a start after a rotation that died', () => {
  it('takes the new key when the rotation was committed', async () => {
    const site = await preparedSite()
    const oldKey = await oldKeyOf(site)
    expect(await toItsEnd(rotation(site))).toMatchObject({ exit: 0 })
    await rename(keyFile(site), `${keyFile(site)}.new`)
    await writeFile(keyFile(site), oldKey)
    expect(await toItsEnd(migration(site))).toMatchObject({ exit: 0 })
    expect(await oldKeyOf(site)).toBe(newKey)
    expect(await readdir(join(site.folder, 'data'))).not.toContain('encryption.key.new')
  })

  it('stays with the old key when it was not', async () => {
    const site = await preparedSite()
    const oldKey = await oldKeyOf(site)
    await writeFile(`${keyFile(site)}.new`, newKey)
    expect(await toItsEnd(migration(site))).toMatchObject({ exit: 0 })
    expect(await oldKeyOf(site)).toBe(oldKey)
    expect(await toItsEnd(rotation(site))).toMatchObject({ exit: 0 })
    expect(await oldKeyOf(site)).toBe(newKey)
  })

  it('goes on when the database itself is gone', async () => {
    const site = await embeddedSite()
    await mkdir(join(site.folder, 'data'))
    await writeFile(`${keyFile(site)}.new`, newKey)
    expect(await toItsEnd(migration(site))).toMatchObject({ exit: 0 })
    expect(await oldKeyOf(site)).not.toBe(newKey)
  })
})

async function addUsers(site: Site, count: number): Promise<void> {
  const sealer = createSealer(await oldKeyOf(site))
  const rows = Array.from({ length: count }, (_, index) => ({
    handle: `user-${index}`,
    hash: `hash-${index}`,
    sealed: sealer.seal(`key-${index}`, `user:user-${index}`),
  }))
  await inDatabase(site, ({ short: { db } }) =>
    db.execute(sql`
      insert into users (user_handle, key_hash, key_sealed)
      select handle, hash, sealed
      from json_to_recordset(${JSON.stringify(rows)}::text::json)
        as rows (handle text, hash text, sealed text)`),
  )
}
