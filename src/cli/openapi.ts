import { type ArgsDef, defineCommand } from 'citty'
import { stringify } from 'yaml'
import { offlineDatabase } from '../db/offline.ts'
import { StartupError } from '../errors.ts'
import { createLog } from '../log.ts'
import { createSealer } from '../secrets/sealing.ts'
import { createApp } from '../server/app.ts'
import { checkArgs } from './flags.ts'

const args: ArgsDef = {
  format: { type: 'string', description: 'yaml or json [default: yaml]' },
}

export const openapi = defineCommand({
  meta: { name: 'openapi', description: 'Print the OpenAPI document; needs no database' },
  args,
  run(context) {
    const { format = 'yaml' } = checkArgs(context, args)
    if (format !== 'yaml' && format !== 'json') {
      throw new StartupError('--format must be yaml or json')
    }
    const { document } = createApp({
      database: offlineDatabase,
      sealer: createSealer(''),
      adminKey: '',
      maxBodyBytes: 0,
      trustProxy: false,
      rateLimit: 0,
      publicMetrics: false,
      indexLimits: { exactBudget: 0, maxIndexes: 0, settleSeconds: 0 },
      maxScan: 0,
      log: createLog(false),
    })
    const text =
      format === 'json'
        ? `${JSON.stringify(document, null, 2)}\n`
        : stringify(document, { aliasDuplicateObjects: false })
    process.stdout.write(text)
  },
})
