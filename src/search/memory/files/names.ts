import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

/** The file of a collection, by the hash that proves it. */
export interface FileName {
  readonly collectionId: number
  readonly hash: string
}

export const vectorFilePath = (folder: string, { collectionId, hash }: FileName) =>
  join(folder, `${collectionId}-${hash}.vectors`)

/** @returns undefined for other files */
export function nameIn(file: string): FileName | undefined {
  const [, id, hash] = /^(\d+)-([0-9a-f]{64})\.vectors$/.exec(file) ?? []
  return id === undefined || hash === undefined ? undefined : { collectionId: Number(id), hash }
}

/** While it is written, a file has a name of its own: processes in containers may have the same number. */
export const unfinishedIn = (folder: string, collectionId: number) =>
  join(folder, `${collectionId}-${randomBytes(8).toString('hex')}.unfinished`)

export const isUnfinished = (file: string) => /^\d+-[0-9a-f]+\.unfinished$/.test(file)
