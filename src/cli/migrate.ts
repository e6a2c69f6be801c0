import { defineCommand } from 'citty'
import { createLog } from '../log.ts'
import { configFrom, storeArgs } from './flags.ts'

export const migrate = (env: NodeJS.ProcessEnv) =>
  defineCommand({
    meta: { name: 'migrate', description: 'Bring the database up to date, and stop' },
    args: storeArgs,
    async run({ rawArgs }) {
      const config = configFrom(rawArgs, storeArgs, env)
      const { openStore, requireFolder } = await import('../server/startup.ts')
      requireFolder(config)
      const { database } = await openStore(config, createLog(config.debug))
      await database.close()
      process.stdout.write('The database is up to date\n')
    },
  })
