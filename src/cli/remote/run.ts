import { type CommandDef, defineCommand } from 'citty'
import { SemblanceError } from '../../client/error.ts'
import { ServiceError, StartupError } from '../../errors.ts'
import { checkArgs, type GivenFlags } from '../flags.ts'
import { UsageError } from '../usage-error.ts'
import { type RemoteCommand, remoteCommands } from './commands.ts'
import { harmless } from './table.ts'

/** For the help: what citty would say of a missing argument is a stack trace. */
export const remoteDefinitions = (): Record<string, CommandDef> =>
  Object.fromEntries(
    Object.entries(remoteCommands).map(([name, { description, args }]) => [
      name,
      defineCommand({ meta: { name, description }, args }),
    ]),
  )

/** @returns whether there is such a command */
export async function runRemote(
  name: string,
  rawArgs: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const command = Object.hasOwn(remoteCommands, name) ? remoteCommands[name] : undefined
  if (command === undefined) return false
  const given = flagsOf(name, command, rawArgs)
  // Whoever reads the output may have enough of it, as head does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    process.stderr.write(`semblance: the output cannot be written: ${error.message}\n`)
    process.exit(1)
  })
  try {
    const run = await command.load()
    await run(given, env)
    return true
  } catch (error) {
    throw told(error)
  }
}

function flagsOf(name: string, { args, takesMore }: RemoteCommand, rawArgs: readonly string[]) {
  let given: GivenFlags
  try {
    given = checkArgs(rawArgs, args, takesMore)
  } catch (error) {
    throw error instanceof StartupError ? new UsageError(error.message) : error
  }
  for (const [flag, { type }] of Object.entries(args)) {
    const value = given.values[flag] ?? 'true'
    if (type !== 'boolean' || value === 'true' || value === 'false') continue
    throw new UsageError(`--${flag} is a switch: give it without a value, or as --${flag}=false`)
  }
  const places = Object.entries(args).filter(([, arg]) => arg.type === 'positional')
  const missing = places.find(([place, arg]) => arg.required !== false && !given.values[place])
  if (missing === undefined) return given
  const usage = places.map(([place, { required }]) => (required === false ? `[${place}]` : place))
  throw new UsageError(`give ${missing[0]}: semblance ${name} ${usage.join(' ').toUpperCase()}`)
}

/** In a line, what is no mistake of the program's but of the server's, or of a file. */
function told(error: unknown): unknown {
  if (error instanceof SemblanceError) {
    const hint = error.status === 401 ? '; see semblance login' : ''
    return new StartupError(harmless(error.message) + hint)
  }
  if (error instanceof ServiceError) return new StartupError(error.message)
  if (!(error instanceof Error)) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const isOfFile = 'syscall' in error || /^(Z_|CSV_)/.test(code)
  return isOfFile ? new StartupError(error.message) : error
}
