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

/** While it is written, a file of each process has a name of its own. */
export const unfinishedIn = (folder: string, collectionId: number) =>
  join(folder, `${collectionId}-${process.pid}.unfinished`)

export const isUnfinished = (file: string) => /^\d+-\d+\.unfinished$/.test(file)
