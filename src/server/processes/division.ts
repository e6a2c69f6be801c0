import { availableParallelism } from 'node:os'
import type { Config } from '../../config/config.ts'
import { fewestConnections, sumOf } from '../../db/connections.ts'
import { StartupError } from '../../errors.ts'
import { connectionsIn } from '../startup.ts'

/** What one process cannot do without, of what all of them have together. */
const fewest = {
  dbConnections: { env: 'SERVICE_DBCONNECTIONS', each: sumOf(fewestConnections) },
  poolShort: { env: 'SERVICE_POOLSHORT', each: fewestConnections.short },
  poolSearch: { env: 'SERVICE_POOLSEARCH', each: fewestConnections.search },
  poolBulk: { env: 'SERVICE_POOLBULK', each: fewestConnections.bulk },
} as const

type Divided = keyof typeof fewest
const divided: readonly Divided[] = ['dbConnections', 'poolShort', 'poolSearch', 'poolBulk']

/**
 * How many processes serve. `auto` means one for each core, or fewer where connections would be too few.
 * @throws StartupError
 */
export function workersOf(config: Config, cores = availableParallelism()): number {
  const { workers, database } = config
  if (database === 'embedded') {
    if (workers === 'auto' || workers === 1) return 1
    throw new StartupError(
      'SERVICE_WORKERS (--workers) must be 1 with the embedded database, which one process alone can open; for more name a PostgreSQL with SERVICE_DATABASE_URL or SERVICE_DBHOST',
    )
  }
  const enoughFor = divided.map((name) =>
    Math.floor((config[name] ?? Number.POSITIVE_INFINITY) / fewest[name].each),
  )
  const count = workers === 'auto' ? Math.max(1, Math.min(cores, ...enoughFor)) : workers
  if (count > 1) checkDivision(config, count)
  return count
}

/** What one of so many processes gets: of what costs the database or the memory of the machine, its part. */
export function shareOf(config: Config, workers: number): Config {
  const part = (whole: number) => Math.floor(whole / workers)
  const { poolShort, poolSearch, poolBulk, vectorMemory } = config
  return {
    ...config,
    dbConnections: part(config.dbConnections),
    ...(poolShort !== undefined && { poolShort: part(poolShort) }),
    ...(poolSearch !== undefined && { poolSearch: part(poolSearch) }),
    ...(poolBulk !== undefined && { poolBulk: part(poolBulk) }),
    // 0 would be none.
    vectorMemory: vectorMemory === 0 ? 0 : Math.max(1, part(vectorMemory)),
  }
}

function checkDivision(config: Config, workers: number): void {
  for (const name of divided) {
    const { env, each } = fewest[name]
    const given = config[name]
    if (given === undefined || given >= each * workers) continue
    throw new StartupError(
      `${env} (${given}) is too few for ${workers} workers, which need ${each} each; raise it to ${each * workers}, or lower SERVICE_WORKERS`,
    )
  }
  try {
    connectionsIn(shareOf(config, workers))
  } catch (error) {
    if (!(error instanceof StartupError)) throw error
    throw new StartupError(`for each of ${workers} workers ${error.message}`)
  }
}
