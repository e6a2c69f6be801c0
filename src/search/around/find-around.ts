import type { ProjectWithCollection } from '../../access/project.ts'
import { Limiter } from '../../concurrency/limiter.ts'
import type { Database } from '../../db/database.ts'
import { parsePath } from '../../filters/metadata-path.ts'
import type { Around, AroundLimits } from './around.ts'
import { aroundByFields } from './by-fields.ts'
import { aroundByNumber } from './by-number.ts'

const alone: Around = { before: [], after: [] }
const listIn = (json: string): string[] => JSON.parse(json)

/** Finds what stands around some texts of a project; nothing for those without a place. */
export function createFindAround(database: Database) {
  const { isDistributed } = database
  const { db } = database.search
  // Like groups, a reading order may take a look at the whole project.
  const limiter = new Limiter({ maxConcurrent: 2, queueTimeoutMs: 10_000, maxQueue: 100 })
  return async (
    { readingOrder, collection }: ProjectWithCollection,
    textIds: readonly string[],
    limits: AroundLimits,
  ): Promise<ReadonlyMap<string, Around>> => {
    const paths = readingOrder?.map((path) => parsePath(path, 'reading_order'))
    const rows =
      paths === undefined
        ? await aroundByNumber(db, collection.collectionId, textIds, limits)
        : await limiter.run(
            () => aroundByFields(db, { collection, paths, isDistributed }, textIds, limits),
            database.requester(),
          )
    const found = rows.map(({ id, before, after }): [string, Around] => [
      id,
      { before: listIn(before), after: listIn(after) },
    ])
    return new Map([...textIds.map((id): [string, Around] => [id, alone]), ...found])
  }
}
