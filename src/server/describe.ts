import { readConfig } from '../config/config.ts'
import { offlineDatabase } from '../db/offline.ts'
import { createLog } from '../log.ts'
import { createSealer } from '../secrets/sealing.ts'
import { printYaml } from '../service/docs/document.ts'
import { createApp } from './app.ts'
import { appSettingsOf } from './app-settings.ts'

/** The OpenAPI document of the service, without a database. */
export function describeService(format: 'yaml' | 'json'): string {
  const { document } = createApp({
    ...appSettingsOf(readConfig({}, {}, {})),
    database: offlineDatabase,
    sealer: createSealer(''),
    adminKey: '',
    log: createLog(false),
  })
  return format === 'json' ? `${JSON.stringify(document, null, 2)}\n` : printYaml(document)
}
