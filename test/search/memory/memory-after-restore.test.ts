import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { isFromMemory } from '../../support/data/cached.ts'
import { saveTables } from '../../support/database/saved-tables.ts'
import { askerOf, store } from '../../support/servers/own-projects.ts'
import { isOnCitus, postgresOfRun } from '../../support/servers/postgres-place.ts'
import { findPostgresTools, runWithFile } from '../../support/servers/postgres-tools.ts'
import { startServiceInMemory } from '../../support/servers/service-in-memory.ts'
import { newFolder } from '../../support/servers/site.ts'
import { waitUntil } from '../../support/wait.ts'

const dimensions = 16
const random = randomNumbers(12)
const newVector = () => Array.from({ length: dimensions }, () => Math.fround(random() - 0.5))

type Service = Awaited<ReturnType<typeof startServiceInMemory>>['service']
/** Keeps what the database holds. @returns what puts it back, while the service runs */
type Keep = (service: Service) => Promise<() => Promise<void>>

const byRows: Keep = async ({ database }) => {
  const saved = await saveTables(database)
  return async () => {
    await database.maintenance.db.execute(sql.raw(`truncate ${saved.tables.join()} cascade`))
    await saved.restore()
  }
}

const placeOf = ({ place }: Service) => place ?? expect.fail()

const byDatabase: Keep = async (service) => {
  const { database: name, ...server } = placeOf(service)
  const admin = postgres({ ...server, max: 1, onnotice: () => {} })
  onTestFinished(() => admin.end())
  const copy = async (from: string, to: string) => {
    await admin.unsafe(`alter database "${from}" allow_connections false`)
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${from}`
    await waitUntil(async () => {
      const left = await admin`select from pg_stat_activity where datname = ${from}`
      return left.length === 0
    })
    await admin.unsafe(`create database "${to}" template "${from}" strategy file_copy`)
    await admin.unsafe(`alter database "${from}" allow_connections true`)
  }
  const kept = `${name}-kept`
  await copy(name, kept)
  return async () => {
    await admin.unsafe(`drop database "${name}" with (force)`)
    await copy(kept, name)
    await admin.unsafe(`drop database "${kept}"`)
  }
}

const tools = postgresOfRun() === undefined ? undefined : await findPostgresTools()

const byTables: Keep = async (service) => {
  const { user, password, host, port, database } = placeOf(service)
  const url = `postgres://${user}:${password}@${host}:${port}/${database}`
  const { dump = '', restore = '' } = tools ?? {}
  const file = `${await newFolder()}/dump`
  await runWithFile(dump, ['-Fc', '--table=public.*', '-d', url], { to: file })
  const args = ['--clean', '--if-exists', '--single-transaction', '-d', url]
  return () => runWithFile(restore, args, { from: file })
}

const onPostgres = postgresOfRun() !== undefined && !isOnCitus()
const ways: [name: string, keep: Keep, isTried: boolean][] = [
  ['rows, into tables that were emptied', byRows, !isOnCitus()],
  ['tables, in place of those that are there', byTables, onPostgres && tools !== undefined],
  ['the database, dropped and made anew', byDatabase, onPostgres],
]

describe('vectors in memory, after a restore while the server runs', () => {
  it.for(ways)('are those of the restored: %s', async ([, keep, isTried], { skip }) => {
    skip(!isTried, 'this database cannot be restored so')
    const { service } = await startServiceInMemory(dimensions, newVector)
    onTestFinished(service.close)
    const ask = askerOf(service)
    const vector = newVector()
    const upload = (text_id: string) => store(ask, 'ann/texts', [{ text_id, vector }])
    const search = (exact: boolean) =>
      ask('POST', '/v1/similars/ann/texts', { vector, threshold: 0.99, exact })
    const found = async (exact: boolean) =>
      (await search(exact)).body.results.map(({ id }: { id: string }) => id)
    const untilInMemory = () => waitUntil(async () => isFromMemory(await search(false)))
    const isServed = async () => (await search(true)).status === 200
    const untilServed = () => waitUntil(isServed)

    await upload('wanted')
    const restore = await keep(service)
    await untilServed()
    for (const id of ['wanted', 't1', 't2']) {
      expect((await ask('DELETE', `/v1/embeddings/ann/texts/${id}`)).status).toBe(200)
    }
    await upload('lost')
    await untilInMemory()
    expect(await found(false)).toEqual(['lost'])

    await restore()
    await untilServed()
    expect(await found(true)).toEqual(['wanted'])
    expect(await found(false)).toEqual(['wanted'])
    await upload('new')
    await untilInMemory()
    for (const exact of [true, false]) expect(await found(exact)).toEqual(['new', 'wanted'])
  })
})
