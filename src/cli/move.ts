import { type Config, readConfig } from '../config/config.ts'
import { secretFrom } from '../config/secret-file.ts'
import { storeSettings } from '../config/settings.ts'
import type { Moved } from '../db/move.ts'
import { StartupError } from '../errors.ts'
import { createLog } from '../log.ts'
import type { Command } from './flags.ts'
import { print, say } from './print.ts'
import { newEncryptionKey } from './rotate-encryption-key.ts'

export const move: Command = {
  description: 'Copy all that is stored into another, empty database',
  args: {
    to: {
      type: 'string',
      description: 'Where to: postgres://user:password@host:port/name, or a folder',
    },
  },
  settings: storeSettings,
  async run(given, env) {
    const target = targetConfig(given.values['to'] ?? secretFrom(env, 'NEW_DATABASE_URL'))
    const encryptionKey = newEncryptionKey(env)
    const source = given.config()
    const { moveStore } = await import('../server/move.ts')
    const moved = await moveStore({
      source,
      target: { ...target, encryptionKey },
      log: createLog(source.debug),
      show: createShow(),
      say,
    })
    say(notMoved)
    await print(report(moved, target))
  },
}

const saidEveryMs = 5_000

/** Says from time to time how many embeddings have been copied. */
function createShow() {
  let saidAt = performance.now()
  return (done: number, total: number): void => {
    if (performance.now() - saidAt < saidEveryMs) return
    saidAt = performance.now()
    say(`copied ${done} of ${total} embeddings`)
  }
}

/** The configuration of the target, which is given only by its place. */
function targetConfig(to: string | undefined): Config {
  if (to === undefined) {
    throw new StartupError(
      'name where to: semblance move --to postgres://…, or --to and a folder; a URL may be in NEW_DATABASE_URL instead, which other users of the machine cannot see',
    )
  }
  // A misspelt scheme counts as a URL too: as a folder, its password would appear in the log. A
  // single letter is a drive on Windows.
  const isUrl = /^[a-z][a-z\d+.-]+:\//i.test(to)
  const flags = isUrl ? { 'database-url': to } : { database: 'embedded', 'data-dir': to }
  try {
    return readConfig(flags, {}, {})
  } catch (error) {
    if (error instanceof StartupError) throw new StartupError(`--to: ${error.message}`)
    throw error
  }
}

const notMoved =
  'Not moved: the administrator key and the other settings (SERVICE_*); search indexes, which are built anew while the server runs'

function report({ users, projects, embeddings }: Moved, target: Config) {
  const place =
    target.database === 'embedded'
      ? target.dataDir
      : `the database ${target.dbName} at ${target.dbHost}:${target.dbPort}`
  return `Moved ${users} users, ${projects} projects and ${embeddings} embeddings to ${place}
Users keep their keys. Next: start there with ENCRYPTION_KEY, the one that was given as NEW_ENCRYPTION_KEY
`
}
