import type { ProjectWithCollection } from '../access/project.ts'
import { inPieces, withBackpressure } from '../concurrency/backpressure.ts'
import { Limiter, type Requester, type WhoWaits } from '../concurrency/limiter.ts'
import { endsWithin } from '../concurrency/yielding.ts'
import type { Database } from '../db/database.ts'
import { conflict } from '../errors.ts'
import type { Log } from '../log.ts'
import { MapComputations } from './computations.ts'
import { type MapLimits, mapLimits, tooManyForMap } from './limits.ts'
import { type MapField, mapAnswer } from './map-answer.ts'
import { findMap, readPoints, type StoredMap } from './stored.ts'

/** The largest share of the time for computing maps of a project that changes constantly. */
const maxShareOfTime = 0.1
const minPauseSeconds = 30

/** Answers have some megabytes each, which are in memory until they are read. */
const answersAtOnce = 4

type MapState =
  /** The revision is the map's; undefined if there is nothing to place. */
  | { readonly is: 'ready'; readonly revision: number | undefined }
  | { readonly is: 'waiting' | 'computing'; readonly progress: number }

/** Places the texts of a project in the plane. Maps are computed in the background and stored. */
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
    /** Gives up maps that are being computed. They start over when they are asked for again. */
    stop: () => computations.stop(),

    /**
     * Whether there is a map. Begins to compute one if there is none, or if it is old.
     * @param minRevision the oldest revision that will do; a future one counts as the present one
     * @throws 422 if the project is too large, 503 if too many maps are being computed already
     */
    async state(
      project: ProjectWithCollection,
      minRevision: number,
      requester: Requester,
    ): Promise<MapState> {
      const { collectionId, vectors, revision } = project.collection
      if (vectors === 0) return { is: 'ready', revision: undefined }
      if (vectors > limits.texts) throw tooManyForMap(limits)
      const wanted = Math.min(minRevision, revision)
      const present = await findMap(db, collectionId)
      if (present !== undefined && present.revision >= wanted) {
        const isOld = present.revision < revision
        // Failures are ignored: a project with a map can wait while others have none.
        if (isOld && isOlderThan(present, usualPause(present)))
          await computations.begin(project.collection, requester).catch(() => {})
        return { is: 'ready', revision: present.revision }
      }
      // Maps computed again on request take at most half of the time.
      const isRunning = computations.of(collectionId) !== undefined
      if (present !== undefined && !isRunning && !isOlderThan(present, present.seconds)) {
        return { is: 'waiting', progress: 0 }
      }
      const computation = await computations.begin(project.collection, requester)
      await endsWithin(computation.ended, limits.waitMs)
      const made = await findMap(db, collectionId)
      if (made !== undefined && made.revision >= wanted)
        return { is: 'ready', revision: made.revision }
      const { isQueued, progress } = computations.of(collectionId) ?? computation
      return { is: isQueued ? 'waiting' : 'computing', progress }
    },

    /**
     * The stored map as JSON, in parts that are made as the client takes them.
     * @param named the first members of the object
     * @throws 409 if the project was emptied since it was looked up, 503 if too many maps are being
     *   read
     */
    read(
      project: ProjectWithCollection,
      field: MapField | undefined,
      named: object,
      requester: Requester,
    ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
      const { collectionId } = project
      // Before it has a place, nobody can wait for that.
      let hasPlace = false
      const whoWaits = (): WhoWaits => (hasPlace ? answers.whoWaitsFor(requester) : 'nobody')
      const produce = (put: (part: Uint8Array<ArrayBuffer>) => Promise<void>) =>
        answers.run(async () => {
          hasPlace = true
          const map = await readPoints(db, collectionId)
          if (map === undefined && project.collection.vectors > 0) {
            throw conflict('The project was emptied or deleted meanwhile; try again')
          }
          const parts = mapAnswer({ db, collectionId, map, field, limits }, named)
          for await (const part of parts) await inPieces(put, part)
        }, requester)
      const sizeOf = ({ length }: Uint8Array) => length
      return withBackpressure(produce, { sizeOf, whoWaits, tickMs })
    },
  }
}

/**
 * The age at which a map is computed again without being asked for; it grows with the time that
 * takes.
 */
const usualPause = ({ seconds }: StoredMap) => Math.max(minPauseSeconds, seconds / maxShareOfTime)

/**
 * A negative age means that the clock was set back since, or that the map is from another database.
 */
const isOlderThan = ({ age }: StoredMap, seconds: number) => age < 0 || age >= seconds
