import { defineCommand } from 'citty'
import { createLog } from '../log.ts'
import { configFrom, serveArgs } from './flags.ts'

export const serve = (env: NodeJS.ProcessEnv) =>
  defineCommand({
    meta: { name: 'serve', description: 'Start the service' },
    args: serveArgs,
    async run({ rawArgs }) {
      const config = configFrom(rawArgs, serveArgs, env)
      // Loaded here, so that help and the refusal of a wrong setting do not wait for it.
      const { serveUntilStopped } = await import('../server/serve.ts')
      await serveUntilStopped(config, createLog(config.debug))
    },
  })
