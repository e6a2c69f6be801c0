import { offlineDatabase } from '../db/offline.ts'
import { createLog } from '../log.ts'
import { noHosts } from '../providers/allowed-hosts.ts'
import { createSealer } from '../secrets/sealing.ts'
import { printYaml } from '../service/docs/document.ts'
import { createApp } from './app.ts'

/** The OpenAPI document of the service, without a database. */
export function describeService(format: 'yaml' | 'json'): string {
  const { document } = createApp({
    database: offlineDatabase,
    sealer: createSealer(''),
    adminKey: '',
    maxBodyBytes: 0,
    trustProxy: false,
    slowMs: 0,
    rateLimit: 0,
    publicMetrics: false,
    mcp: false,
    embeddingHosts: noHosts,
    indexLimits: { exactBudget: 0, maxIndexes: 0, indexDelay: 0 },
    cacheLimits: { maxBytes: 0, fewestComponents: 0, exactBudget: 0 },
    maxWordBytes: 0,
    maxScan: 0,
    log: createLog(false),
  })
  return format === 'json' ? `${JSON.stringify(document, null, 2)}\n` : printYaml(document)
}
