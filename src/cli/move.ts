import { type Config, readConfig } from '../config/config.ts'
import { secretFrom } from '../config/secret-file.ts'
import { storeSettings } from '../config/settings.ts'
import { StartupError } from '../errors.ts'
import { createLog } from '../log.ts'
import type { MovedStore } from '../server/move.ts'
import type { Command } from './flags.ts'
import { createProgress } from './progress.ts'
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
    const newKey = newEncryptionKey(env)
    const source = given.config()
    const { moveStore } = await import('../server/move.ts')
    const { show, clear } = createProgress('embeddings')
    const say = (line: string) => void process.stderr.write(`${line}\n`)
    const log = createLog(source.debug)
    const moved = await moveStore({ source, target, newKey, log, show, say }).finally(clear)
    say(notMoved)
    process.stdout.write(report(moved, target))
  },
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
  'Not moved: search indexes, which are built anew while the server runs; its settings (SERVICE_*)'

function report({ users, projects, embeddings, resealed, keys }: MovedStore, target: Config) {
  const place =
    target.database === 'embedded'
      ? target.dataDir
      : `the database ${target.dbName} at ${target.dbHost}:${target.dbPort}`
  const sealed = resealed
    ? 'Secrets are sealed with the key of the new place'
    : 'Secrets are sealed with the same key'
  const next = keys.length === 0 ? '' : `Next: start there with ${keys.join(', and ')}\n`
  return `Moved ${users} users, ${projects} projects and ${embeddings} embeddings to ${place}\n${sealed}; the users keep their keys\n${next}`
}
