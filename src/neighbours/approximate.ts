import type { ProjectWithCollection } from '../access/project.ts'
import { readTextIds } from '../collections/keys.ts'
import type { Db } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import { usualSearch } from '../search/options/defaults.ts'
import type { createSearch } from '../search/search.ts'
import {
  NeighboursProgress,
  type NeighboursRequest,
  type NeighboursRow,
  type Step,
} from './steps.ts'

type Search = ReturnType<typeof createSearch>

/** Searches from one embedding at a time, so that other searches keep their share. */
export async function* approximateNeighbours(
  db: Db,
  search: Search,
  project: ProjectWithCollection,
  request: NeighboursRequest,
): AsyncGenerator<Step> {
  const { collectionId, vectors } = project.collection
  const progress = new NeighboursProgress()
  const total = request.after === undefined ? vectors : null
  let done = 0
  yield* progress.of(done, total)
  for await (const textIds of readTextIds(db, collectionId, request.after)) {
    for (const textId of textIds) {
      const row = await rowOf(search, project, textId, request)
      if (row === undefined) continue
      yield [row]
      done += 1
      yield* progress.of(done, total)
    }
  }
  yield { done: true, embeddings: done, mode: 'approximate' }
}

/** @returns undefined if the embedding was deleted meanwhile */
async function rowOf(
  search: Search,
  project: ProjectWithCollection,
  textId: string,
  { k, threshold }: NeighboursRequest,
): Promise<NeighboursRow | undefined> {
  const options = { ...usualSearch, limit: k, threshold }
  try {
    const { results } = await search.similarTo(project, { textIds: [textId] }, options)
    return { id: textId, neighbours: results }
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'not-found') return undefined
    throw error
  }
}
