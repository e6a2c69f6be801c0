import { defineCommand } from 'citty'
import { type Config, readConfig } from '../config/config.ts'
import { StartupError } from '../errors.ts'
import { createLog } from '../log.ts'
import { checkArgs, migrateArgs, readDotenv } from './flags.ts'
import { createProgress } from './progress.ts'

export const migrate = (env: NodeJS.ProcessEnv) =>
  defineCommand({
    meta: { name: 'migrate', description: 'Bring the database up to date, and stop' },
    args: migrateArgs,
    async run({ rawArgs }) {
      const { values, typed } = checkArgs(rawArgs, migrateArgs)
      const { distribute, shards, ...settings } = values
      const config = readConfig(settings, env, readDotenv(), typed)
      if (distribute === 'true') return distributeNow(config, shardsIn(shards))
      if (shards !== undefined) throw new StartupError('--shards needs --distribute')
      const { openStore, requireFolder } = await import('../server/startup.ts')
      requireFolder(config)
      const { database } = await openStore(config, createLog(config.debug))
      await database.close()
      process.stdout.write('The database is up to date\n')
    },
  })

function shardsIn(value = '32'): number {
  const shards = /^\d{1,5}$/.test(value) ? Number(value) : 0
  if (shards >= 1 && shards <= 64_000) return shards
  throw new StartupError('--shards must be a whole number between 1 and 64000')
}

async function distributeNow(config: Config, wanted: number): Promise<void> {
  const { distributeStore } = await import('../server/distribute.ts')
  const progress = createProgress('embeddings')
  const { shards, workers } = await distributeStore(
    config,
    wanted,
    createLog(config.debug),
    progress.show,
  ).finally(progress.clear)
  process.stdout.write(
    `The database is up to date; embeddings are in ${shards} shards on ${workers} workers\n`,
  )
}
