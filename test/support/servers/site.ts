import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import { inject, onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/db/postgres/engine.ts'
import { unique } from '../factories.ts'
import { watch } from '../secrets/watch.ts'
import { databaseFolders } from './database-folders.ts'
import { placeOf } from './postgres-place.ts'
import { copyFolder, type Prepared, preparedFolder } from './prepared.ts'
import type { Surroundings } from './program.ts'

/** Where a server is started, perhaps several times: its folder, its settings, its database. */
export interface Site extends Surroundings {
  /** The administrator's key, given or generated. */
  adminKey(): Promise<string>
}

export const givenKeys = {
  SERVICE_ADMINKEY: 'the-administrators-key-of-the-tests',
  ENCRYPTION_KEY: 'the-encryption-key-of-the-tests-32+',
}

export const databaseUrl = process.env['TEST_DATABASE_URL'] || undefined

/** Takes what is to be undone later, usually after the test. */
export type AtEnd = (undo: () => Promise<void>) => void

/** An empty folder, removed in the end; no secret may be in a database that is found in it. */
export async function newFolder(atEnd: AtEnd = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(databaseFolders(), 'semblance-'))
  atEnd(async () => {
    const database = join(folder, 'data/pgdata')
    if (existsSync(database)) await watch.files(database)
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

/** What outlives no test needs no disk: see test/process/failing-disk.test.ts for what does. */
export const onNoDisk = { SERVICE_DURABILITY: 'relaxed' }

/** Nothing but an empty folder: the server will use its embedded database and generate its keys. */
export async function embeddedSite(atEnd?: AtEnd): Promise<Site> {
  const folder = await newFolder(atEnd)
  const adminKey = () => readFile(join(folder, 'data/admin.key'), 'utf8')
  return { folder, env: onNoDisk, adminKey }
}

/** An embedded site whose first start has already been, and what else `prepared` says. */
export async function preparedSite(atEnd?: AtEnd, prepared: Prepared = 'started'): Promise<Site> {
  const site = await embeddedSite(atEnd)
  const folder = await preparedFolder(inject('prepared'), prepared)
  await copyFolder(join(folder, 'data'), join(site.folder, 'data'))
  return site
}

/** Where a server is started that uses the database behind a port. */
export const siteAt = async (
  port: number,
  env: Readonly<Record<string, string>>,
): Promise<Site> => ({
  folder: await newFolder(),
  env: { ...givenKeys, SERVICE_DBHOST: '127.0.0.1', SERVICE_DBPORT: `${port}`, ...env },
  adminKey: async () => givenKeys.SERVICE_ADMINKEY,
})

/** A new database on the server of TEST_DATABASE_URL, dropped in the end. */
export async function postgresSite(atEnd: AtEnd = onTestFinished): Promise<Site> {
  const folder = await newFolder(atEnd)
  const url = new URL(databaseUrl ?? '')
  const name = unique('semblance_process').replaceAll('-', '_')
  const server = postgres(url.href, { max: 1, onnotice: () => {} })
  await server.unsafe(`create database ${name}`)
  const own = new URL(url)
  own.pathname = `/${name}`
  atEnd(async () => {
    const database = await openPostgres(placeOf(own.href))
    await watch.tables(database)
    await database.close()
    await server.unsafe(`drop database ${name} with (force)`)
    await server.end()
  })
  const env = {
    ...givenKeys,
    SERVICE_DBHOST: url.hostname,
    SERVICE_DBPORT: url.port || '5432',
    SERVICE_DBUSER: decodeURIComponent(url.username),
    SERVICE_DBPASSWORD: decodeURIComponent(url.password),
    SERVICE_DBNAME: name,
  }
  return { folder, env, adminKey: async () => givenKeys.SERVICE_ADMINKEY }
}

/** Where the database of a site on PostgreSQL is. */
export function databaseUrlOf({ env }: Site): string {
  const url = new URL('postgres://localhost')
  url.hostname = env['SERVICE_DBHOST'] ?? ''
  url.port = env['SERVICE_DBPORT'] ?? ''
  url.username = env['SERVICE_DBUSER'] ?? ''
  url.password = env['SERVICE_DBPASSWORD'] ?? ''
  url.pathname = `/${env['SERVICE_DBNAME']}`
  return url.href
}
