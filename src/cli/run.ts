import { type CommandDef, defineCommand, runCommand } from 'citty'
import { nearest } from '../did-you-mean.ts'
import { ServiceError, StartupError } from '../errors.ts'
import { version } from '../version.ts'
import { backup } from './backup.ts'
import { showHelp } from './help.ts'
import { migrate } from './migrate.ts'
import { move } from './move.ts'
import { openapi } from './openapi.ts'
import { rotateEncryptionKey } from './rotate-encryption-key.ts'
import { serve } from './serve.ts'
import { smoke } from './smoke/command.ts'
import { versionCommand } from './version.ts'

type Commands = Record<string, CommandDef>

const commandsIn = (env: NodeJS.ProcessEnv): Commands => ({
  serve: serve(env),
  migrate: migrate(env),
  move: move(env),
  'rotate-encryption-key': rotateEncryptionKey(env),
  backup: backup(env),
  openapi,
  smoke: smoke(env),
  version: versionCommand,
})

const program = (subCommands: Commands) =>
  defineCommand({
    meta: {
      name: 'semblance',
      version,
      description: 'Stores vector embeddings of texts and finds the similar ones',
    },
    subCommands,
  })

const asksForHelp = (args: readonly string[]) => args.includes('--help') || args.includes('-h')

async function run([name, ...rawArgs]: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const commands = commandsIn(env)
  const main = program(commands)
  if (name === '--version' || name === '-v') return void process.stdout.write(`${version}\n`)
  if (name === undefined || name === 'help' || asksForHelp([name])) return showHelp(main)
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) throw unknownCommand(name, Object.keys(commands))
  if (asksForHelp(rawArgs)) return showHelp(command, main)
  await runCommand(command, { rawArgs })
}

/** The commands of the client for a server elsewhere: docs/terminal.md. */
const ofTheClient = [
  ...['login', 'status', 'projects', 'import', 'export', 'search'],
  ...['neighbours', 'delete', 'users', 'keys'],
]

/** A flag's value is not shown, because it may be a secret. */
function unknownCommand(name: string, known: readonly string[]): StartupError {
  if (name.startsWith('-')) {
    const flag = name.replace(/=.*$/s, '')
    return new StartupError(`${flag} must follow a command, as in semblance serve ${flag}`)
  }
  if (ofTheClient.includes(name)) {
    const how = "pipx install 'semblance-client[terminal]'"
    return new StartupError(`${name} is a command of semblance-client (${how})`)
  }
  const meant = nearest(name, known)
  const hint = meant === undefined ? 'see semblance --help' : `did you mean ${meant}?`
  return new StartupError(`unknown command '${name}'; ${hint}`)
}

/**
 * Waits until all output has been written, then ends whatever still runs. It does not end stdout:
 * if that is a socket, as for a script that Node has started, nothing could be printed after this
 * command any more.
 */
const exit = (code: number) => process.stdout.write('', () => process.exit(code))

/** Runs the command line and ends the process. A failure goes to stderr, with exit code 1. */
export async function runToItsEnd(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  reachThisMachine(env)
  try {
    await run(args, env)
    exit(0)
  } catch (error) {
    process.stderr.write(`semblance: ${reasonOf(error)}\n`)
    exit(1)
  }
}

/**
 * Without this, Bun also sends requests for this machine, with the key in them, through HTTP_PROXY.
 */
function reachThisMachine(env: NodeJS.ProcessEnv): void {
  const name = env['no_proxy'] ? 'no_proxy' : 'NO_PROXY'
  const others = env[name] || undefined
  if (others === '*') return
  env[name] = [others, 'localhost', '127.0.0.1', '127.0.0.0/8', '::1', '[::1]']
    .filter(Boolean)
    .join()
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof StartupError || error instanceof ServiceError) return error.message
  return error instanceof Error ? error.stack : String(error)
}
