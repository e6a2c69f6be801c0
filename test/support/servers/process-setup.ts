import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { isQuickRun } from '../run/quick-run.ts'
import { gatherFigures } from '../secrets/figures.ts'
import { annFile, copyFolder, prepareFolders } from './prepared.ts'
import { usual } from './program.ts'
import { listening, type Server, serve, stop } from './server.ts'
import { onNoDisk } from './site.ts'
import { createSecrets } from './stored-secrets.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the data folders are that tests copy. */
    prepared: string
  }
}

/** Makes the data folders that tests copy, once. */
export default async function setup(project: TestProject) {
  const { root, remove } = await prepareFolders('semblance-prepared-', prepare)
  project.provide('prepared', root)
  const sumUp = await gatherFigures(project)
  return async () => {
    await sumUp()
    await remove()
  }
}

async function prepare(root: string): Promise<void> {
  const folder = join(root, 'unfinished')
  await mkdir(folder)
  await whileServed(folder, async () => {})
  await rename(folder, join(root, 'started'))
  // Nothing that `npm test` tries needs the other.
  if (isQuickRun) return
  await copyFolder(join(root, 'started'), folder)
  await whileServed(folder, async (server) => {
    await writeFile(join(folder, annFile), JSON.stringify(await createSecrets(server)))
  })
  await rename(folder, join(root, 'filled'))
}

async function whileServed(folder: string, work: (server: Server) => Promise<void>): Promise<void> {
  const adminKey = () => readFile(join(folder, 'data/admin.key'), 'utf8')
  const site = { folder, env: onNoDisk, adminKey }
  const program = serve(usual, site)
  try {
    const server = await listening(program, site)
    await work(server)
    await stop(server)
  } finally {
    program.signal('SIGKILL')
  }
}
