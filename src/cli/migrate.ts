import type { Config } from '../config/config.ts'
import { storeSettings } from '../config/settings.ts'
import { StartupError } from '../errors.ts'
import { createLog } from '../log.ts'
import type { Command } from './flags.ts'
import { print } from './print.ts'

export const migrate: Command = {
  description: 'Bring the database up to date, and stop',
  args: {
    distribute: {
      type: 'boolean',
      description: 'Distribute embeddings over the workers of a Citus cluster',
    },
    shards: {
      type: 'string',
      description: 'With --distribute: into how many tables they are divided (default: 32)',
    },
  },
  settings: storeSettings,
  async run(given) {
    const { distribute, shards } = given.values
    const config = given.config()
    if (distribute === 'true') return distributeNow(config, shardsIn(shards))
    if (shards !== undefined) throw new StartupError('--shards needs --distribute')
    const { openStore, requireFolder } = await import('../server/startup.ts')
    requireFolder(config)
    const { database } = await openStore(config, createLog(config.debug))
    await database.close()
    await print('The database is up to date\n')
  },
}

function shardsIn(value = '32'): number {
  const shards = /^\d{1,5}$/.test(value) ? Number(value) : 0
  if (shards >= 1 && shards <= 64_000) return shards
  throw new StartupError('--shards must be a whole number between 1 and 64000')
}

async function distributeNow(config: Config, wanted: number): Promise<void> {
  const { distributeStore } = await import('../server/distribute.ts')
  const { shards, workers } = await distributeStore(config, wanted, createLog(config.debug))
  await print(
    `The database is up to date; embeddings are in ${shards} shards on ${workers} workers\n`,
  )
}
