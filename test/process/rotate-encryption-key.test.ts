import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { asc, eq, sql } from 'drizzle-orm'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { openEmbedded } from '../../src/db/embedded/open.ts'
import { openPostgres } from '../../src/db/postgres/engine.ts'
import { instances, settings, users } from '../../src/db/schema.ts'
import { createSealer } from '../../src/secrets/sealing.ts'
import {
  node,
  type Outcome,
  type Runtime,
  semblance,
  toItsEnd,
} from '../support/servers/program.ts'
import {
  createProject,
  request,
  type Server,
  stages,
  startServer,
} from '../support/servers/server.ts'
import {
  databaseUrl,
  embeddedSite,
  givenKeys,
  postgresSite,
  preparedSite,
  type Site,
} from '../support/servers/site.ts'

const newKey = 'the-next-encryption-key-of-the-tests'
const refused = (message: string): Outcome => ({
  exit: 1,
  stdout: '',
  stderr: `semblance: ${message}\n`,
})
const wrongKey = refused(
  'ENCRYPTION_KEY is not the key that this database was set up with; start with the original key',
)

const withKey = (site: Site, key: string): Site => ({
  ...site,
  env: { ...site.env, ENCRYPTION_KEY: key },
})

const rotation = (site: Site, runtime = node, key = newKey) =>
  semblance(runtime, ['rotate-encryption-key'], {
    ...site,
    env: { ...site.env, NEW_ENCRYPTION_KEY: key },
  })

const migration = (site: Site, runtime = node) => semblance(runtime, ['migrate'], site)

const keyFile = (site: Site) => join(site.folder, 'data/encryption.key')
const isEmbedded = (site: Site) => site.env['SERVICE_DBHOST'] === undefined
const oldKeyOf = async (site: Site) =>
  isEmbedded(site) ? readFile(keyFile(site), 'utf8') : givenKeys.ENCRYPTION_KEY
/** How the site is started after a rotation. */
const rotated = (site: Site) => (isEmbedded(site) ? site : withKey(site, newKey))

function open({ folder, env }: Site): Promise<Database> {
  if (env['SERVICE_DBHOST'] === undefined) return openEmbedded(join(folder, 'data'))
  return openPostgres({
    host: env['SERVICE_DBHOST'],
    port: Number(env['SERVICE_DBPORT']),
    user: env['SERVICE_DBUSER'] ?? '',
    password: env['SERVICE_DBPASSWORD'] ?? '',
    database: env['SERVICE_DBNAME'] ?? '',
    tls: { mode: 'prefer' },
  })
}

/** Looks into or changes the database of a site where no server runs. */
async function inDatabase<T>(site: Site, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await open(site)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

async function stop({ program }: Server): Promise<void> {
  program.signal('SIGTERM')
  expect(await program.exit).toBe(0)
}

const putAnn = (server: Server) => request(server, 'PUT', '/v1/users/ann', {})
const putSecret = (server: Server, key: string) =>
  request(server, 'PATCH', '/v1/llm-services/ann/model', { api_key_encrypted: key })

/** The user `ann`, whose instance has a provider's key. @returns what PUT of the user answers */
async function fill(runtime: Runtime, site: Site) {
  const server = await startServer(runtime, site)
  await createProject(server, 3)
  expect(await putSecret(server, 'provider-secret')).toMatchObject({ status: 200 })
  const ann = await putAnn(server)
  expect(ann.status).toBe(200)
  await stop(server)
  return ann
}

/** All that is sealed in the database, in the clear, and the forms in which it is sealed. */
async function secrets(site: Site, key: string) {
  const sealer = createSealer(key)
  return inDatabase(site, async ({ short: { db } }) => {
    const [user] = await db.select().from(users).where(eq(users.handle, 'ann'))
    const [instance] = await db.select().from(instances)
    const [check] = await db.select().from(settings)
    const sealed = [user?.keySealed ?? '', instance?.keySealed ?? '', check?.value ?? '']
    const owners = ['user:ann', `instance:${user?.userId}/model`, 'encryption-key-check']
    return {
      forms: sealed.map((text) => text.replace(/[^.]*$/, '')),
      texts: sealed.map((text, index) => sealer.open(text, owners[index] ?? '')),
    }
  })
}

/** As the first versions sealed. */
function sealV1(encryptionKey: string, secret: string, owner: string): string {
  const derived = hkdfSync('sha256', encryptionKey, 'semblance', 'sealed-secret/v1', 32)
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(derived), iv).setAAD(Buffer.from(owner))
  const parts = [iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return `v1.${Buffer.concat(parts).toString('base64url')}`
}

/** Replaces everything that is sealed by what the first versions had. */
async function ageSecrets(site: Site, key: string): Promise<void> {
  const { texts } = await secrets(site, key)
  const [apiKey = '', providerKey = '', known = ''] = texts
  await inDatabase(site, async ({ short: { db } }) => {
    const [user] = await db.select().from(users).where(eq(users.handle, 'ann'))
    const name = 'encryption-key-check'
    await db.update(settings).set({ value: sealV1(key, known, name) })
    await db
      .update(users)
      .set({ keySealed: sealV1(key, apiKey, 'user:ann') })
      .where(eq(users.handle, 'ann'))
    await db
      .update(instances)
      .set({ keySealed: sealV1(key, providerKey, `instance:${user?.userId}/model`) })
  })
}

for (const { title, runtime, site: newSite } of stages) {
  describe.skipIf(runtime.command === undefined)(`a rotation (${title})`, () => {
    it('seals everything with the new key, and the old one is refused', async () => {
      const site = await newSite()
      const ann = await fill(runtime, site)
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

describe('a rotation of the embedded database', () => {
  it('replaces the file of the generated key, also when its key was given', async () => {
    for (const given of [false, true]) {
      const site = await preparedSite()
      const oldKey = await oldKeyOf(site)
      const outcome = await toItsEnd(rotation(given ? withKey(site, oldKey) : site))
      expect(outcome.stdout).toContain(`The new key is in ${keyFile(site)}`)
      expect(await readFile(keyFile(site), 'utf8')).toBe(newKey)
      expect((await stat(keyFile(site))).mode & 0o777).toBe(0o600)
      const names = await readdir(join(site.folder, 'data'))
      expect(names.sort()).toEqual(['admin.key', 'encryption.key', 'pgdata'])
    }
  })

  it('makes no file for a key that was given', async () => {
    const prepared = await preparedSite()
    const site = withKey(prepared, await oldKeyOf(prepared))
    await rm(keyFile(site))
    const { exit, stdout } = await toItsEnd(rotation(site))
    expect(exit).toBe(0)
    expect(stdout).toContain('Next: set ENCRYPTION_KEY to the new key and start')
    expect(await readdir(join(site.folder, 'data'))).not.toContain('encryption.key')
    expect(await toItsEnd(migration(site))).toEqual(wrongKey)
    expect(await toItsEnd(migration(withKey(site, newKey)))).toMatchObject({ exit: 0 })
  })

  it('turns what the first versions sealed into the present form', async () => {
    const site = await preparedSite()
    const ann = await fill(node, site)
    const oldKey = await oldKeyOf(site)
    await ageSecrets(site, oldKey)
    expect((await secrets(site, oldKey)).forms).toEqual(['v1.', 'v1.', 'v1.'])
    const server = await startServer(node, site)
    expect(await putAnn(server)).toEqual(ann)
    await stop(server)
    const before = await secrets(site, oldKey)
    expect(await toItsEnd(rotation(site))).toMatchObject({ exit: 0 })
    const { forms, texts } = await secrets(site, newKey)
    expect(new Set(forms).size).toBe(1)
    expect(forms[0]).toMatch(/^v2\./)
    expect(texts).toEqual(before.texts)
  })

  it('is refused while a server runs', async () => {
    const site = await preparedSite()
    await startServer(node, site)
    const { exit, stderr } = await toItsEnd(rotation(site))
    expect(exit).toBe(1)
    expect(stderr).toMatch(/^semblance: the folder \S+ is in use by process \d+; .*\n$/)
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

  it('takes no key as a flag', async () => {
    const site = await embeddedSite()
    const flag = semblance(node, ['rotate-encryption-key', `--new-encryption-key=${newKey}`], site)
    expect(await toItsEnd(flag)).toEqual(refused('unknown flag --new-encryption-key; see --help'))
  })

  it('changes nothing when a secret does not open, and names it', async () => {
    const site = await preparedSite()
    const ann = await fill(node, site)
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
    const site = await preparedSite()
    const ann = await fill(node, site)
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

describe.skipIf(databaseUrl === undefined)('a rotation on PostgreSQL', () => {
  it('of two at once lets one succeed', async () => {
    const site = await postgresSite()
    const ann = await fill(node, site)
    const keys = [`${newKey}-1`, `${newKey}-2`]
    const outcomes = await Promise.all(keys.map((key) => toItsEnd(rotation(site, node, key))))
    expect(outcomes.map(({ exit }) => exit).sort()).toEqual([0, 1])
    expect(outcomes).toContainEqual(wrongKey)
    const winner = keys.find((_, index) => outcomes[index]?.exit === 0) ?? ''
    expect(await putAnn(await startServer(node, withKey(site, winner)))).toEqual(ann)
  })

  it('that is killed leaves the old key working', async () => {
    const site = await postgresSite()
    const ann = await fill(node, site)
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
    const ann = await fill(node, site)
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
    expect(await putSecret(server, 'other-secret')).toMatchObject(outdated)
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
