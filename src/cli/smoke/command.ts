import { type ArgsDef, defineCommand } from 'citty'
import { secretFrom } from '../../config/secret-file.ts'
import { StartupError } from '../../errors.ts'
import { checkArgs } from '../flags.ts'
import { SmokeFailure } from './api.ts'
import { runSmoke } from './smoke.ts'

const args: ArgsDef = {
  url: { type: 'string', description: 'Where the server is, such as http://localhost:8880' },
}

export const smoke = (env: NodeJS.ProcessEnv) =>
  defineCommand({
    meta: {
      name: 'smoke',
      description:
        'Check a running server as a throw-away user; SERVICE_ADMINKEY is the administrator key',
    },
    args,
    async run(context) {
      const { url } = checkArgs(context, args)
      if (url === undefined || !URL.canParse(url) || !/^https?:/.test(url)) {
        throw new StartupError('--url must be the http or https URL of a server')
      }
      const adminKey = secretFrom(env, 'SERVICE_ADMINKEY')
      if (adminKey === undefined)
        throw new StartupError("SERVICE_ADMINKEY must be the server's administrator key")
      await runSmoke(url, adminKey, (step, ms) => {
        process.stdout.write(`ok ${step} (${ms.toFixed(0)} ms)\n`)
      }).catch((error) => {
        if (!(error instanceof SmokeFailure)) throw error
        throw new StartupError(`the server failed the smoke test: ${error.message}`)
      })
      process.stdout.write(`${url} passed the smoke test\n`)
    },
  })
