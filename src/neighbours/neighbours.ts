import type { ProjectWithCollection } from '../access/project.ts'
import { readTextIds } from '../collections/keys.ts'
import { withBackpressure } from '../concurrency/backpressure.ts'
import type { Requester } from '../concurrency/limiter.ts'
import { workerScript } from '../concurrency/worker-script.ts'
import { ThreadEnded, WorkerThread } from '../concurrency/worker-thread.ts'
import type { Database, Db } from '../db/database.ts'
import { cancelled, ServiceError, unavailable, unprocessable } from '../errors.ts'
import { canCompile } from '../search/memory/kernels.ts'
import { usualSearch } from '../search/options.ts'
import type { createSearch } from '../search/similar.ts'
import { type ComparisonThread, exactNeighbours } from './exact.ts'
import { Jobs } from './jobs.ts'
import {
  isSmall,
  isTooLarge,
  type NeighbourLimits,
  neighbourLimits,
  tooLargeToCompare,
} from './limits.ts'
import type { NeighboursRequest } from './schemas.ts'
import { NeighboursProgress, type NeighboursRow, type Step, sizeOf } from './steps.ts'

type Search = ReturnType<typeof createSearch>

/**
 * Finds the nearest neighbours of every embedding of a project. Rows are computed only a little
 * ahead of the reader.
 */
export function createNeighbours(
  database: Database,
  search: Search,
  limits: NeighbourLimits = neighbourLimits,
  tickMs?: number,
) {
  const jobs = new Jobs(limits.atOnce)
  const { db } = database.search

  /**
   * @throws 409 if the caller already has one running or the project is emptied meanwhile, 422 if
   *   the project is too large, 503 if the server has too many running
   */
  return async function* (
    project: ProjectWithCollection,
    request: NeighboursRequest,
    requester: Requester,
  ): AsyncGenerator<Step> {
    const byComparison = isExact(project, request, limits)
    const { vectors, dimensions } = project.collection
    const size = { vectors, dimensions: dimensions ?? 0 }
    const job = await jobs.begin(requester, byComparison && isSmall(size, limits))
    const end = () => job.end()
    requester.signal.addEventListener('abort', end)
    const steps = byComparison
      ? exactly(db, limits, project, request, requester.signal)
      : approximateNeighbours(db, search, project, request)
    const produce = async (put: (step: Step) => Promise<void>) => {
      try {
        for await (const step of steps) await put(step)
      } finally {
        end()
      }
    }
    const whoWaits = () => job.whoWaits()
    yield* withBackpressure(produce, { sizeOf, whoWaits, canGoOn: true, tickMs })
  }
}

/** @throws 422 if the project is too large for what is asked */
function isExact(
  { collection }: ProjectWithCollection,
  request: NeighboursRequest,
  limits: NeighbourLimits,
): boolean {
  const dimensions = collection.dimensions ?? 0
  const isLarge = isTooLarge({ vectors: collection.vectors, dimensions }, limits)
  // How many embeddings a filter keeps is known only when they are read.
  if (!isLarge || request.filter !== undefined) return true
  if (request.exact || request.different !== undefined) throw tooLargeToCompare(limits)
  if (collection.index !== null) return false
  throw tooLargeToCompare(limits, ', and this project has no index to search in beyond that')
}

async function* exactly(
  db: Db,
  limits: NeighbourLimits,
  project: ProjectWithCollection,
  request: NeighboursRequest,
  signal: AbortSignal,
): AsyncGenerator<Step> {
  const { collectionId, dimensions } = project.collection
  if (dimensions === null) {
    yield { done: true, embeddings: 0, mode: 'exact' }
    return
  }
  if (!canCompile()) {
    throw unprocessable('All neighbours need WebAssembly with SIMD, which this server lacks')
  }
  const thread: ComparisonThread = new WorkerThread(workerScript(import.meta.url, './worker.ts'), {
    signal,
  })
  try {
    const { filter, different } = request
    const wanted = { collectionId, dimensions, filter, different }
    yield* exactNeighbours(db, thread, wanted, request, limits)
  } catch (error) {
    if (!(error instanceof ThreadEnded)) throw error
    throw signal.aborted ? cancelled() : unavailable('The computation of neighbours ended', error)
  } finally {
    thread.stop()
  }
}

/** Searches from one embedding at a time, so that other searches keep their share. */
async function* approximateNeighbours(
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
    return { id: textId, neighbours: results.map(({ id, similarity = 0 }) => ({ id, similarity })) }
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'not-found') return undefined
    throw error
  }
}
