import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import type { Database } from '../../../src/db/database.ts'
import { openEmbedded } from '../../../src/db/embedded/open.ts'
import { openPostgres } from '../../../src/db/postgres/engine.ts'
import { databaseFacts, instances, users } from '../../../src/db/schema.ts'
import { createSealer } from '../../../src/secrets/sealing.ts'
import { placeOf } from './postgres-place.ts'
import { node, refused, semblance } from './program.ts'
import { databaseUrlOf, givenKeys, preparedSite, type Site } from './site.ts'

export const newKey = 'the-next-encryption-key-of-the-tests'
export const wrongKey = refused(
  'ENCRYPTION_KEY is not the key that this database was set up with; start with the original key',
)

export const withKey = (site: Site, key: string): Site => ({
  ...site,
  env: { ...site.env, ENCRYPTION_KEY: key },
})

export const rotation = (site: Site, runtime = node, key = newKey) =>
  semblance(runtime, ['rotate-encryption-key'], {
    ...site,
    env: { ...site.env, NEW_ENCRYPTION_KEY: key },
  })

export const migration = (site: Site, runtime = node) => semblance(runtime, ['migrate'], site)

export const keyFile = (site: Site) => join(site.folder, 'data/encryption.key')
export const isEmbedded = (site: Site) => site.env['SERVICE_DBHOST'] === undefined
export const oldKeyOf = async (site: Site) =>
  isEmbedded(site) ? readFile(keyFile(site), 'utf8') : givenKeys.ENCRYPTION_KEY
/** How the site is started after a rotation. */
export const rotated = (site: Site) => (isEmbedded(site) ? site : withKey(site, newKey))

export const open = (site: Site): Promise<Database> =>
  isEmbedded(site)
    ? openEmbedded(join(site.folder, 'data'), { durability: 'relaxed' })
    : openPostgres(placeOf(databaseUrlOf(site)))

/** Looks into or changes the database of a site where no server runs. */
export async function inDatabase<T>(
  site: Site,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await open(site)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** All that is sealed in the database of a site, in the clear, and the forms in which it is sealed. */
export const secrets = (site: Site, key: string) =>
  inDatabase(site, async ({ short: { db } }) => {
    const sealer = createSealer(key)
    const [user] = await db.select().from(users).where(eq(users.handle, 'ann'))
    const [instance] = await db.select().from(instances)
    const [check] = await db
      .select()
      .from(databaseFacts)
      .where(eq(databaseFacts.name, 'encryption-key-check'))
    const sealed = [user?.keySealed ?? '', instance?.keySealed ?? '', check?.value ?? '']
    const owners = ['user:ann', `instance:${user?.userId}/model`, 'encryption-key-check']
    return {
      forms: sealed.map((text) => text.replace(/[^.]*$/, '')),
      texts: sealed.map((text, index) => sealer.open(text, owners[index] ?? '')),
    }
  })

/** An embedded site with the user `ann` and the secret of her instance, left by another server. */
export const filledSite = (): Promise<Site> => preparedSite(undefined, 'filled')
