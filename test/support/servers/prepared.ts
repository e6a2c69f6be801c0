import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { databaseFolders } from './database-folders.ts'
import type { Answer } from './server.ts'

/**
 * Folders of embedded servers that were stopped: `started` has the data of a first start, `filled`
 * a user `ann` as well, whose instance has a provider's key.
 */
export type Prepared = 'started' | 'filled'

/** Instead of the folders, where they could not be made: says why. */
const failed = 'failed'
export const annFile = 'ann.json'

/**
 * Has folders made below `root`, while tests run that need none of them.
 * @param prepare gives each its name when it is complete
 */
export async function prepareFolders(prefix: string, prepare: (root: string) => Promise<void>) {
  const root = await mkdtemp(join(databaseFolders(), prefix))
  const preparing = prepare(root).catch((error) => writeFile(join(root, failed), String(error)))
  const remove = async () => {
    await preparing
    await rm(root, { recursive: true, force: true })
  }
  return { root, remove }
}

/** Waits until a folder below `root` is there. @returns its path */
export async function preparedFolder(root: string, name: Prepared | 'migrated'): Promise<string> {
  const folder = join(root, name)
  for (; !existsSync(folder); await sleep(50)) {
    if (existsSync(join(root, failed))) throw new Error(await readFile(join(root, failed), 'utf8'))
  }
  return folder
}

/** What PUT of `ann` answers on the data of `filled`. */
export async function readAnn(root: string): Promise<Answer> {
  const folder = await preparedFolder(root, 'filled')
  return JSON.parse(await readFile(join(folder, annFile), 'utf8'))
}

/** In a process of its own, which takes a fifth of the time that cp() of Node takes. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-r', from, to])
}
