import { settings } from '../config/settings.ts'
import { nearest } from '../did-you-mean.ts'
import { ServiceError, StartupError } from '../errors.ts'
import { createLog } from '../log.ts'
import { version } from '../version.ts'
import { backup } from './backup.ts'
import { type Command, parseFlags } from './flags.ts'
import { showHelp } from './help.ts'
import { migrate } from './migrate.ts'
import { move } from './move.ts'
import { print } from './print.ts'
import { rotateEncryptionKey } from './rotate-encryption-key.ts'
import { smoke } from './smoke.ts'

/* Commands load the server only when they need it, so that help and refusals do not wait for it. */

const serve: Command = {
  description: 'Start the service',
  settings: Object.values(settings),
  async run(given) {
    const warnings: string[] = []
    const config = given.config((warning) => warnings.push(warning))
    const { serveUntilStopped } = await import('../server/serve.ts')
    const log = createLog(config.debug)
    for (const warning of warnings) log.warn(warning)
    await serveUntilStopped(config, log)
    log.info('stopped')
  },
}

const openapi: Command = {
  description: 'Print the OpenAPI document; needs no database',
  args: { format: { type: 'string', description: 'yaml or json [default: yaml]' } },
  async run({ values: { format = 'yaml' } }) {
    if (format !== 'yaml' && format !== 'json') {
      throw new StartupError('--format must be yaml or json')
    }
    const { describeService } = await import('../server/describe.ts')
    await print(describeService(format))
  },
}

const commands: Readonly<Record<string, Command>> = {
  serve,
  migrate,
  move,
  'rotate-encryption-key': rotateEncryptionKey,
  backup,
  openapi,
  smoke,
  version: {
    description: 'Print the version',
    run: () => print(`${version}\n`),
  },
}

const asksForHelp = (args: readonly string[]) => args.includes('--help') || args.includes('-h')

async function run([name, ...rawArgs]: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  if (name === '--version' || name === '-v') return print(`${version}\n`)
  if (name === undefined || name === 'help' || asksForHelp([name])) return showHelp(commands)
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) throw unknownCommand(name)
  if (asksForHelp(rawArgs)) return showHelp(commands, name)
  await command.run(parseFlags(rawArgs, command, env), env)
}

/** A flag's value is not shown, because it may be a secret. */
function unknownCommand(name: string): StartupError {
  if (name.startsWith('-')) {
    const flag = name.replace(/=.*$/s, '')
    return new StartupError(`${flag} must follow a command, as in semblance serve ${flag}`)
  }
  const meant = nearest(name, Object.keys(commands))
  const hint = meant === undefined ? 'see semblance --help' : `did you mean ${meant}?`
  return new StartupError(`unknown command '${name}'; ${hint}`)
}

/**
 * Runs the command line and ends the process, with whatever still runs in it. A failure goes to
 * stderr, with exit code 1.
 */
export async function runToItsEnd(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  reachThisMachine(env)
  // Each print() fails by itself.
  process.stdout.on('error', () => {})
  try {
    await run(args, env)
    process.exit(0)
  } catch (error) {
    process.stderr.write(hasSeenEnough(error) ? '' : `semblance: ${reasonOf(error)}\n`, () =>
      process.exit(1),
    )
  }
}

/** A reader such as head(1) has ended; other programs say nothing either. */
const hasSeenEnough = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'EPIPE'

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
