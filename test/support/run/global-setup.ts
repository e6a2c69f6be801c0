import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { openEmbedded } from '../../../src/db/embedded/open.ts'
import { prepareDatabase } from '../../../src/db/prepare.ts'
import { gatherFigures } from '../secrets/figures.ts'
import { copyTemplate, createTemplate } from '../servers/citus.ts'
import { placeOf } from '../servers/postgres-place.ts'
import { prepareFolders } from '../servers/prepared.ts'

declare module 'vitest' {
  interface ProvidedContext {
    engine: string
    /** Of the databases of the run, each with the number of its worker behind its name: see postgresOfRun(). */
    databaseUrl: string
    /** What databases on Citus are copies of. */
    citusTemplate: string
    /** Where the embedded engine will have a folder `migrated`, to be copied. */
    migratedFolder: string
  }
}

/** Gives each worker of a run on PostgreSQL a database of its own, one on the embedded engine a folder to copy, made meanwhile. */
export default async function setup(project: TestProject) {
  project.provide('databaseUrl', '')
  project.provide('migratedFolder', '')
  project.provide('citusTemplate', '')
  const sumUp = await gatherFigures(project)
  const { TEST_DATABASE_URL: url } = process.env
  const make: Record<string, (project: TestProject, url: string) => Promise<() => Promise<void>>> =
    { embedded: makeFolder, postgres: createDatabase, citus: createDistributed }
  const remove = await (make[project.name] ?? makeFolder)(project, url ?? '')
  return async () => {
    await sumUp()
    await remove()
  }
}

const newName = () => `semblance_test_${process.pid}_${Date.now()}`

/** The names of the workers' databases, which tests find by the first part of them. */
function databasesOf(project: TestProject, url: string, name: string): string[] {
  const own = new URL(url)
  own.pathname = `/${name}`
  project.provide('databaseUrl', own.href)
  const workers = Math.max(project.config.maxWorkers, project.vitest.config.maxWorkers)
  return Array.from({ length: workers }, (_, index) => `${name}_${index + 1}`)
}

async function createDistributed(project: TestProject, url: string) {
  const name = newName()
  const template = `${name}_template`
  const server = placeOf(url)
  const dropTemplate = await createTemplate(server, template)
  project.provide('citusTemplate', template)
  const drops: (() => Promise<void>)[] = []
  for (const own of databasesOf(project, url, name)) {
    drops.push(await copyTemplate(server, template, own))
  }
  return async () => {
    for (const drop of drops) await drop()
    await dropTemplate()
  }
}

async function createDatabase(project: TestProject, url: string) {
  const names = databasesOf(project, url, newName())
  const server = postgres(url, { max: 1, onnotice: () => {} })
  for (const name of names) await server.unsafe(`create database ${name}`)
  return async () => {
    for (const name of names) await server.unsafe(`drop database ${name} with (force)`)
    await server.end()
  }
}

async function makeFolder(project: TestProject) {
  const { root, remove } = await prepareFolders('semblance-migrated-', migrate)
  project.provide('migratedFolder', root)
  return remove
}

async function migrate(root: string): Promise<void> {
  const folder = join(root, 'unfinished')
  const database = await openEmbedded(join(folder, 'data'), { durability: 'relaxed' })
  await prepareDatabase(database, async () => {})
  await database.close()
  await rename(folder, join(root, 'migrated'))
}
