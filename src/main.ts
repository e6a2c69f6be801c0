#!/usr/bin/env node
import { type CommandDef, defineCommand, runCommand } from 'citty'
import { showHelp } from './cli/help.ts'
import { migrate } from './cli/migrate.ts'
import { openapi } from './cli/openapi.ts'
import { rotateEncryptionKey } from './cli/rotate-encryption-key.ts'
import { serve } from './cli/serve.ts'
import { smoke } from './cli/smoke/command.ts'
import { versionCommand } from './cli/version.ts'
import { nearest } from './did-you-mean.ts'
import { StartupError } from './errors.ts'
import { version } from './version.ts'

const env = process.env
const subCommands: Record<string, CommandDef> = {
  serve: serve(env),
  migrate: migrate(env),
  'rotate-encryption-key': rotateEncryptionKey(env),
  openapi,
  smoke: smoke(env),
  version: versionCommand,
}
const main = defineCommand({
  meta: {
    name: 'semblance',
    version,
    description: 'Stores vector embeddings of texts and finds the similar ones',
  },
  subCommands,
})

const asksForHelp = (args: readonly string[]) => args.includes('--help') || args.includes('-h')

async function run([name, ...rawArgs]: string[]): Promise<void> {
  if (name === '--version' || name === '-v') return void process.stdout.write(`${version}\n`)
  if (name === undefined || name === 'help' || asksForHelp([name])) return showHelp(main)
  const command = subCommands[name]
  if (command === undefined) {
    throw unknownCommand(name)
  }
  if (asksForHelp(rawArgs)) return showHelp(command, main)
  await runCommand(command, { rawArgs })
}

/** Of a flag no value is shown, which may be a secret. */
function unknownCommand(name: string): StartupError {
  if (name.startsWith('-')) {
    const flag = name.replace(/=.*$/s, '')
    return new StartupError(`${flag} must follow a command, as in semblance serve ${flag}`)
  }
  const meant = nearest(name, Object.keys(subCommands))
  const hint = meant === undefined ? 'see semblance --help' : `did you mean ${meant}?`
  return new StartupError(`unknown command '${name}'; ${hint}`)
}

/** Waits until what was printed has left, then ends whatever still runs. */
const exit = (code: number) => process.stdout.end(() => process.exit(code))

run(process.argv.slice(2)).then(
  () => exit(0),
  (error) => {
    const reason =
      error instanceof Error && !(error instanceof StartupError) ? error.stack : error.message
    process.stderr.write(`semblance: ${reason}\n`)
    exit(1)
  },
)
