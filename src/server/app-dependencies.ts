import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import type { Log } from '../log.ts'
import type { MapLimits } from '../maps/limits.ts'
import type { NeighbourLimits } from '../neighbours/limits.ts'
import type { AllowedHosts } from '../providers/allowed-hosts.ts'
import type { IndexLimits } from '../search/index/plan.ts'
import type { CacheLimits } from '../search/memory/vector-cache.ts'
import type { Sealer } from '../secrets/sealing.ts'

type AppSettings = Pick<
  Config,
  | 'maxBody'
  | 'publicUrl'
  | 'trustProxy'
  | 'slowRequest'
  | 'rateLimit'
  | 'publicMetrics'
  | 'mcp'
  | 'maxScan'
>

/** What the app is built from. */
export interface AppDependencies extends AppSettings {
  readonly database: Database
  readonly sealer: Sealer
  readonly adminKey: string
  /** The hosts that texts may be sent to. */
  readonly embeddingHosts: AllowedHosts
  readonly indexLimits: IndexLimits
  readonly cacheLimits: CacheLimits
  /** Limit for the indexes of words together. */
  readonly maxWordBytes: number
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
