import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { gatherFigures } from '../secrets/figures.ts'
import { databaseFolders } from './database-folders.ts'
import { annFile, copyFolder, failed } from './prepared.ts'
import { node } from './program.ts'
import { listening, type Server, serve, stop } from './server.ts'
import { createSecrets } from './stored-secrets.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the data folders are that tests copy. */
    prepared: string
  }
}

/** Makes the data folders that tests copy, once, while tests run that need none. */
export default async function setup(project: TestProject) {
  const root = await mkdtemp(join(databaseFolders(), 'semblance-prepared-'))
  project.provide('prepared', root)
  const preparing = prepare(root).catch((error) => writeFile(join(root, failed), String(error)))
  const sumUp = await gatherFigures(project)
  return async () => {
    await preparing
    await sumUp()
    await rm(root, { recursive: true, force: true })
  }
}

/** Each folder gets its name when it is complete. */
async function prepare(root: string): Promise<void> {
  const folder = join(root, 'unfinished')
  await mkdir(folder)
  await whileServed(folder, async () => {})
  await rename(folder, join(root, 'started'))
  await copyFolder(join(root, 'started'), folder)
  await whileServed(folder, async (server) => {
    await writeFile(join(folder, annFile), JSON.stringify(await createSecrets(server)))
  })
  await rename(folder, join(root, 'filled'))
}

async function whileServed(folder: string, work: (server: Server) => Promise<void>): Promise<void> {
  const adminKey = () => readFile(join(folder, 'data/admin.key'), 'utf8')
  const program = serve(node, { folder, env: {} })
  try {
    const server = await listening(program, { folder, env: {}, adminKey })
    await work(server)
    await stop(server)
  } finally {
    program.signal('SIGKILL')
  }
}
