import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { describe, expect, inject, it } from 'vitest'
import { createSealer } from '../../src/secrets/sealing.ts'
import { readAnn } from '../support/servers/prepared.ts'
import { node, toItsEnd } from '../support/servers/program.ts'
import {
  filledSite,
  inDatabase,
  keyFile,
  migration,
  newKey,
  oldKeyOf,
  rotation,
} from '../support/servers/rotation.ts'
import { request, startServer, stop } from '../support/servers/server.ts'
import { embeddedSite, preparedSite, type Site } from '../support/servers/site.ts'
import { putAnn } from '../support/servers/stored-secrets.ts'

describe('a rotation of the embedded database', () => {
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
