import type { ProjectWithCollection } from '../access/project.ts'
import { withBackpressure } from '../concurrency/backpressure.ts'
import { Limiter, type Requester, type WhoWaits } from '../concurrency/limiter.ts'
import type { Database } from '../db/database.ts'
import { conflict } from '../errors.ts'
import type { Log } from '../log.ts'
import { type Computation, MapComputations } from './computations.ts'
import { type MapLimits, mapLimits, tooManyForMap } from './limits.ts'
import { type MapWriter, writeMap } from './map-columns.ts'
import { findMap, readPoints, type StoredMap } from './stored.ts'

/** Of the time, at most, making maps of a project that changes all the time may take. */
const maxShareOfTime = 0.1
const minPauseSeconds = 30

/** Answers are some megabytes each, held for as long as they are read. */
const answersAtOnce = 4

type MapState =
  | { readonly is: 'ready' }
  | { readonly is: 'waiting' | 'computing'; readonly progress: number }

/** Where the texts of a project lie in the plane: computed in the background, kept, and shown as it is. */
export function createMaps(
  database: Database,
  log: Log,
  limits: MapLimits = mapLimits,
  tickMs?: number,
) {
  const computations = new MapComputations(database, limits, log)
  const answers = new Limiter({
    maxConcurrent: answersAtOnce,
    queueTimeoutMs: 10_000,
    maxQueue: 20,
  })
  const { db } = database.search

  return {
    /** What is being made is given up: it is made anew when it is asked for. */
    stop: () => computations.stop(),

    /**
     * Whether there is a map; begins to make one where there is none, or an old one.
     * @param minRevision what it must be as new as; a revision that is yet to come counts as the present one
     * @throws 422 for a project that is too large, 503 when too many maps are being made already
     */
    async state(
      project: ProjectWithCollection,
      minRevision: number,
      requester: Requester,
    ): Promise<MapState> {
      const { collectionId, vectors, revision } = project.collection
      if (vectors === 0) return { is: 'ready' }
      if (vectors > limits.texts) throw tooManyForMap(limits)
      const wanted = Math.min(minRevision, revision)
      const present = await findMap(db, collectionId)
      if (present !== undefined && present.revision >= wanted) {
        const isOld = present.revision < revision
        // Whoever has a map can do without a newer one while others have none.
        if (isOld && isOlderThan(present, usualPause(present)))
          await computations.begin(project.collection, requester).catch(() => {})
        return { is: 'ready' }
      }
      // Who asks for a newer one has half of the time at most.
      const isRunning = computations.of(collectionId) !== undefined
      if (present !== undefined && !isRunning && !isOlderThan(present, present.seconds)) {
        return { is: 'waiting', progress: 0 }
      }
      const computation = await computations.begin(project.collection, requester)
      await endOf(computation, limits.waitMs)
      const made = await findMap(db, collectionId)
      if (made !== undefined && made.revision >= wanted) return { is: 'ready' }
      const { isQueued, progress } = computations.of(collectionId) ?? computation
      return { is: isQueued ? 'waiting' : 'computing', progress }
    },

    /**
     * The map as it is, part by part, made as the client takes them.
     * @throws 409 when the project was emptied since it was found, 503 when too many are being read
     */
    read(
      project: ProjectWithCollection,
      fields: readonly (readonly string[])[],
      writer: MapWriter,
      requester: Requester,
    ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
      const { collectionId } = project
      // Before it has a place nobody can wait for it.
      let hasPlace = false
      const whoWaits = (): WhoWaits => (hasPlace ? answers.whoWaitsFor(requester) : 'nobody')
      const produce = (put: (part: Uint8Array<ArrayBuffer>) => Promise<void>) =>
        answers.run(async () => {
          hasPlace = true
          const map = await readPoints(db, collectionId)
          if (map === undefined && project.collection.vectors > 0) {
            throw conflict('The project was emptied or deleted meanwhile; try again')
          }
          await writeMap({ db, collectionId, map, fields, limits }, writer, put)
        }, requester)
      const sizeOf = ({ length }: Uint8Array) => length
      return withBackpressure(produce, { sizeOf, whoWaits, tickMs })
    },
  }
}

/** Or a moment, whichever is sooner. */
async function endOf({ ended }: Computation, waitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs)
  })
  await Promise.race([ended, late])
  clearTimeout(timer)
}

/** How old a map is before it is made anew without having been asked for: the longer it takes, the older. */
const usualPause = ({ seconds }: StoredMap) => Math.max(minPauseSeconds, seconds / maxShareOfTime)

/** One that is yet to come has been made before the clock was set back, or in another database. */
const isOlderThan = ({ age }: StoredMap, seconds: number) => age < 0 || age >= seconds
