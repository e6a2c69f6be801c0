import type { Database } from '../db/database.ts'
import type { Log } from '../log.ts'
import type { MapLimits } from '../maps/limits.ts'
import type { NeighbourLimits } from '../neighbours/limits.ts'
import type { AllowedHosts } from '../providers/allowed-hosts.ts'
import type { IndexLimits } from '../search-indexes/policy.ts'
import type { Sealer } from '../secrets/sealing.ts'
import type { CacheLimits } from '../vector-cache/vector-cache.ts'

/** What the service is made of. */
export interface AppDependencies {
  readonly database: Database
  readonly sealer: Sealer
  readonly adminKey: string
  /** Largest upload in bytes, after decompression. */
  readonly maxBodyBytes: number
  /** Whether a proxy in front sets the X-Forwarded headers. */
  readonly trustProxy: boolean
  /** Milliseconds above which a request is logged as a warning; 0 for none. */
  readonly slowMs: number
  /** Requests a minute with one user's key; 0 for no limit. */
  readonly rateLimit: number
  /** Whether /metrics needs no key. */
  readonly publicMetrics: boolean
  /** Which hosts texts may be sent to. */
  readonly embeddingHosts: AllowedHosts
  readonly indexLimits: IndexLimits
  readonly cacheLimits: CacheLimits
  /** Components (vectors × dimensions) above which no exact search fills up what an index finds. */
  readonly maxScan: number
  /** Up to which size all vectors of a project are compared with all; tests have a smaller one. */
  readonly neighbourLimits?: NeighbourLimits
  /** Up to which size a project has a map; tests have a smaller one. */
  readonly mapLimits?: MapLimits
  /** What every figure of /metrics is labelled with. */
  readonly metricLabels?: Readonly<Record<string, string>>
  /** Of the clock by which the pace of readers is counted; a second, but in tests. */
  readonly readerTickMs?: number
  readonly log: Log
}
