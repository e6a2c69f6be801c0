import { burstPauseSeconds } from '../collections/collections.ts'
import type { Config } from '../config/config.ts'
import { StartupError } from '../errors.ts'
import { parseAllowedHosts } from '../providers/allowed-hosts.ts'

/**
 * If an upload of many batches grows a project by little in this time, its index is built before
 * the upload ends.
 */
const settleSeconds = 15
/** The least covers several pauses of a client that sends batch after batch. */
const quietSeconds = { least: 2, most: burstPauseSeconds }

/**
 * The embedded engine answers nothing else while it builds an index, so it uses vectors in memory
 * instead.
 */
export const indexLimitsOf = ({ database, exactBudget, maxIndexes }: Config) => ({
  exactBudget: database === 'embedded' ? Number.POSITIVE_INFINITY : exactBudget,
  maxIndexes,
  settleSeconds,
  quietSeconds,
})

export const cacheLimitsOf = ({ exactBudget, vectorMemory }: Config) => ({
  exactBudget,
  maxBytes: vectorMemory * 2 ** 20,
  // The database compares fewer components in about a millisecond.
  fewestComponents: 250_000,
})

/** @throws StartupError */
export function embeddingHostsOf({ embeddingHosts }: Config) {
  const hosts = parseAllowedHosts(embeddingHosts)
  if (hosts !== undefined) return hosts
  throw new StartupError(
    'SERVICE_EMBEDDINGHOSTS (--embedding-hosts) must be hosts, separated by commas, such as api.openai.com or localhost:11434, ranges of addresses such as 10.0.0.0/8, or * for all with a public address',
  )
}
