import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type ArgsDef, defineCommand } from 'citty'
import { secretFrom } from '../../config/secret-file.ts'
import { StartupError } from '../../errors.ts'
import { checkArgs, readDotenv } from '../flags.ts'
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
      const { url, 'data-dir': folder } = checkArgs(rawArgs, args).values
      if (url === undefined || !URL.canParse(url) || !/^https?:/.test(url)) {
        throw new StartupError('--url must be the http or https URL of a server')
      }
      const adminKey = findAdminKey(env, url, folder)
      await runSmoke(url, adminKey, (step, ms) => {
        process.stdout.write(`ok ${step} (${ms.toFixed(0)} ms)\n`)
      }).catch((error) => {
        if (!(error instanceof SmokeFailure)) throw error
        throw new StartupError(`the server failed the smoke test: ${error.message}`)
      })
      process.stdout.write(`${url} passed the smoke test\n`)
    },
  })

const isLocal = (url: string) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname)

/** As the server of this folder finds it: given, or generated beside its embedded database. */
function findAdminKey(env: NodeJS.ProcessEnv, url: string, given: string | undefined): string {
  const dotenv = readDotenv()
  const key = secretFrom(env, 'SERVICE_ADMINKEY') ?? secretFrom(dotenv, 'SERVICE_ADMINKEY')
  if (key !== undefined) return key
  if (!given && !isLocal(url)) {
    throw new StartupError(
      "SERVICE_ADMINKEY must be the server's administrator key; the one of this folder is sent to no other machine",
    )
  }
  const folder = given || env['SERVICE_DATADIR'] || dotenv['SERVICE_DATADIR'] || './data'
  const file = join(resolve(folder), 'admin.key')
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    throw new StartupError(
      `SERVICE_ADMINKEY must be the server's administrator key; it is not given, and ${file} cannot be read (${code})`,
    )
  }
}
