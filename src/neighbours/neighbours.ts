import type { ProjectWithCollection } from '../access/project.ts'
import { withBackpressure } from '../concurrency/backpressure.ts'
import { cancelled, type Requester } from '../concurrency/limiter.ts'
import { workerScript } from '../concurrency/worker-script.ts'
import { ThreadEnded, WorkerThread } from '../concurrency/worker-thread.ts'
import type { Database, Db } from '../db/database.ts'
import { unavailable, unprocessable } from '../errors.ts'
import { canCompile } from '../search/memory/kernels.ts'
import type { createSearch } from '../search/search.ts'
import { approximateNeighbours } from './approximate.ts'
import { exactNeighbours } from './exact.ts'
import { Jobs } from './jobs.ts'
import {
  isSmall,
  isTooLarge,
  type NeighbourLimits,
  neighbourLimits,
  tooLargeToCompare,
} from './limits.ts'
import type { ComparisonReply, ComparisonRequest } from './messages.ts'
import { type NeighboursRequest, type Step, sizeOf } from './steps.ts'

/**
 * Finds the nearest neighbours of every embedding of a project. Rows are computed only a little
 * ahead of the reader.
 */
export function createNeighbours(
  database: Database,
  search: ReturnType<typeof createSearch>,
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
    const job = await jobs.begin(
      requester,
      byComparison && isSmall({ vectors, dimensions: dimensions ?? 0 }, limits),
    )
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
  if (collection.index !== undefined) return false
  throw tooLargeToCompare(limits, ', and this project has no index to search in beyond that')
}

async function* exactly(
  db: Db,
  limits: NeighbourLimits,
  project: ProjectWithCollection,
  request: NeighboursRequest,
  signal: AbortSignal,
): AsyncGenerator<Step> {
  const { collectionId } = project
  const { dimensions } = project.collection
  if (dimensions === null) {
    yield { done: true, embeddings: 0, mode: 'exact' }
    return
  }
  if (!canCompile()) {
    throw unprocessable('All neighbours need WebAssembly with SIMD, which this server lacks')
  }
  const thread = new WorkerThread<ComparisonRequest, ComparisonReply>(
    workerScript(import.meta.url, './worker.ts'),
  )
  const stop = () => thread.stop()
  signal.addEventListener('abort', stop)
  try {
    if (signal.aborted) throw cancelled()
    const { filter, different } = request
    const wanted = { collectionId, dimensions, filter, different }
    yield* exactNeighbours(db, thread, wanted, request, limits)
  } catch (error) {
    if (!(error instanceof ThreadEnded)) throw error
    throw signal.aborted ? cancelled() : unavailable('The computation of neighbours ended', error)
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}
