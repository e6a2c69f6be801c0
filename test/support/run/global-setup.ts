import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { openEmbedded } from '../../../src/db/embedded/open.ts'
import { prepareDatabase } from '../../../src/db/prepare.ts'
import { gatherFigures } from '../secrets/figures.ts'
import { prepareFolders } from '../servers/prepared.ts'

declare module 'vitest' {
  interface ProvidedContext {
    engine: string
    databaseUrl: string
    /** Where the embedded engine will have a folder `migrated`, to be copied. */
    migratedFolder: string
  }
}

/** Gives a run on PostgreSQL a database of its own, one on the embedded engine a folder to copy, made meanwhile. */
export default async function setup(project: TestProject) {
  project.provide('databaseUrl', '')
  project.provide('migratedFolder', '')
  const sumUp = await gatherFigures(project)
  const { TEST_DATABASE_URL: url } = process.env
  const isPostgres = project.name === 'postgres' && url !== undefined
  const remove = isPostgres ? await createDatabase(project, url) : await makeFolder(project)
  return async () => {
    await sumUp()
    await remove()
  }
}

async function createDatabase(project: TestProject, url: string) {
  const name = `semblance_test_${process.pid}_${Date.now()}`
  const server = postgres(url, { max: 1, onnotice: () => {} })
  await server.unsafe(`create database ${name}`)
  const own = new URL(url)
  own.pathname = `/${name}`
  project.provide('databaseUrl', own.href)
  return async () => {
    await server.unsafe(`drop database ${name} with (force)`)
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
  const database = await openEmbedded(join(folder, 'data'))
  await prepareDatabase(database, async () => {})
  await database.close()
  await rename(folder, join(root, 'migrated'))
}
