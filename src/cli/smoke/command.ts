import { type ArgsDef, defineCommand } from 'citty'
import { StartupError } from '../../errors.ts'
import { findAdminKey } from '../admin-key.ts'
import { checkArgs } from '../flags.ts'
import { SmokeFailure } from './api.ts'
import { runSmoke } from './smoke.ts'

const args: ArgsDef = {
  url: { type: 'string', description: 'Where the server is, such as http://localhost:8880' },
  'data-dir': {
    type: 'string',
    description: 'Folder with admin.key, when SERVICE_ADMINKEY is not given',
  },
}

export const smoke = (env: NodeJS.ProcessEnv) =>
  defineCommand({
    meta: {
      name: 'smoke',
      description: 'Check a running server as a throw-away user',
    },
    args,
    async run({ rawArgs }) {
      const { url = env['SEMBLANCE_URL'], 'data-dir': folder } = checkArgs(rawArgs, args).values
      if (url === undefined || !URL.canParse(url) || !/^https?:/.test(url)) {
        throw new StartupError('--url (or SEMBLANCE_URL) must be the http or https URL of a server')
      }
      const { key, file } = findAdminKey(env, url, folder)
      if (file !== undefined) process.stdout.write(`With the administrator key in ${file}\n`)
      await runSmoke(url, key, (step, ms) => {
        process.stdout.write(`ok ${step} (${ms.toFixed(0)} ms)\n`)
      }).catch((error) => {
        if (!(error instanceof SmokeFailure)) throw error
        throw new StartupError(`the server failed the smoke test: ${error.message}`)
      })
      process.stdout.write(`${url} passed the smoke test\n`)
    },
  })
