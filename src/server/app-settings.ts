import { totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { StartupError } from '../errors.ts'
import { parseAllowedHosts } from '../providers/allowed-hosts.ts'

const leastVectorMemory = 1_024

/**
 * What the app takes from the configuration, as it is or worked out.
 * @throws StartupError
 */
export const appSettingsOf = (config: Config) => ({
  ...config,
  embeddingHosts: embeddingHostsOf(config),
  indexLimits: indexLimitsOf(config),
  cacheLimits: cacheLimitsOf(config),
  // A quarter of what vectors may take, but never so little that small projects have no room.
  maxWordBytes: Math.max(64, vectorMemoryOf(config) / 4) * 2 ** 20,
})

/**
 * The embedded engine answers nothing else while it builds an index, so it uses vectors in memory
 * instead.
 */
const indexLimitsOf = ({ database, exactBudget, maxIndexes, indexDelay }: Config) => ({
  exactBudget: database === 'embedded' ? Number.POSITIVE_INFINITY : exactBudget,
  maxIndexes,
  indexDelay,
})

/** How many MB of vectors a process keeps in memory. */
export function vectorMemoryOf({ vectorMemory, workers }: Config): number {
  if (vectorMemory !== undefined) return vectorMemory
  if (workers !== 1) return leastVectorMemory
  // Unlimited is told as 0 or as a number beyond all memory.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY
  const quarter = Math.floor(Math.min(limit, totalmem()) / 4 / 2 ** 20)
  return Math.max(leastVectorMemory, quarter)
}

const cacheLimitsOf = (config: Config) => ({
  exactBudget: config.exactBudget,
  maxBytes: vectorMemoryOf(config) * 2 ** 20,
  // The database compares fewer components in about a millisecond.
  fewestComponents: 250_000,
  files: filesOf(config),
})

/** Files for the next start lie beside the embedded database, or where SERVICE_CACHEDIR says. */
function filesOf({ database, dataDir, cacheDir }: Config) {
  const parent = cacheDir ?? (database === 'embedded' ? dataDir : undefined)
  // Fewer components are read from the database in about a second.
  if (parent === undefined) return undefined
  return { folder: join(resolve(parent), 'vectors'), fewestComponents: 4_000_000 }
}

/** @throws StartupError */
export function embeddingHostsOf({ embeddingHosts }: Config) {
  const hosts = parseAllowedHosts(embeddingHosts)
  if (hosts !== undefined) return hosts
  throw new StartupError(
    'SERVICE_EMBEDDINGHOSTS (--embedding-hosts) must be hosts, separated by commas, such as api.openai.com or localhost:11434, ranges of addresses such as 10.0.0.0/8, or * for all with a public address',
  )
}
