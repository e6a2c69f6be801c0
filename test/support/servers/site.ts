import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { inject, onTestFinished } from 'vitest'
import { unique } from '../factories.ts'
import { watch } from '../secrets/watch.ts'
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

/** An empty folder, removed after the test; no secret may be in a database that is found in it. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'semblance-'))
  onTestFinished(async () => {
    const database = join(folder, 'data/pgdata')
    if (existsSync(database)) await watch.files(database)
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

/** Nothing but an empty folder: the server will use its embedded database and generate its keys. */
export async function embeddedSite(): Promise<Site> {
  const folder = await newFolder()
  const adminKey = () => readFile(join(folder, 'data/admin.key'), 'utf8')
  return { folder, env: {}, adminKey }
}

/** An embedded site whose first start has already been. */
export async function preparedSite(): Promise<Site> {
  const site = await embeddedSite()
  await cp(inject('preparedData'), join(site.folder, 'data'), { recursive: true })
  return site
}

/** A new database on the server of TEST_DATABASE_URL, dropped after the test. */
export async function postgresSite(): Promise<Site> {
  const folder = await newFolder()
  const url = new URL(databaseUrl ?? '')
  const name = unique('semblance_process').replaceAll('-', '_')
  const server = postgres(url.href, { max: 1, onnotice: () => {} })
  await server.unsafe(`create database ${name}`)
  const own = new URL(url)
  own.pathname = `/${name}`
  onTestFinished(async () => {
    await searchDatabase(own.href)
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

/** Searches all rows of a database for secrets. */
async function searchDatabase(url: string): Promise<void> {
  const database = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const tables = await database<{ name: string }[]>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname <> 'information_schema' and schemaname not like 'pg\\_%'`
    for (const { name } of tables) {
      const rows = await database.unsafe<{ text: string }[]>(
        `select t::text as text from ${name} as t`,
      )
      watch.rows(name, rows)
    }
  } finally {
    await database.end()
  }
}
