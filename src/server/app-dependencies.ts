import type { Database } from '../db/database.ts'
import type { Log } from '../log.ts'
import type { MapLimits } from '../maps/limits.ts'
import type { NeighbourLimits } from '../neighbours/limits.ts'
import type { AllowedHosts } from '../providers/allowed-hosts.ts'
import type { IndexLimits } from '../search/index/plan.ts'
import type { CacheLimits } from '../search/memory/vector-cache.ts'
import type { Sealer } from '../secrets/sealing.ts'

/** What the app is built from. */
export interface AppDependencies {
  readonly database: Database
  readonly sealer: Sealer
  readonly adminKey: string
  /** Largest upload in bytes, after decompression. */
  readonly maxBodyBytes: number
  /** Where clients reach the service, without a slash at its end; undefined if each request says so. */
  readonly publicUrl?: string | undefined
  /** Whether a proxy in front sets the X-Forwarded headers. */
  readonly trustProxy: boolean
  /** Milliseconds above which a request is logged as a warning; 0 for none. */
  readonly slowMs: number
  /** Requests a minute with one user's key; 0 for no limit. */
  readonly rateLimit: number
  /** Whether /metrics needs no key. */
  readonly publicMetrics: boolean
  /** Whether /mcp is served. */
  readonly mcp: boolean
  /** The hosts that texts may be sent to. */
  readonly embeddingHosts: AllowedHosts
  readonly indexLimits: IndexLimits
  readonly cacheLimits: CacheLimits
  /** Limit for the indexes of words together. */
  readonly maxWordBytes: number
  /**
   * Above this many components (vectors × dimensions), no exact search completes the results of an
   * index.
   */
  readonly maxScan: number
  /**
   * The largest project whose vectors are all compared with each other; tests use a smaller one.
   */
  readonly neighbourLimits?: NeighbourLimits
  /** The largest project that can have a map; tests use a smaller one. */
  readonly mapLimits?: MapLimits
  /** Labels for every figure of /metrics. */
  readonly metricLabels?: Readonly<Record<string, string>>
  /** Milliseconds between checks of the readers' pace; a second except in tests. */
  readonly readerTickMs?: number
  readonly log: Log
}
