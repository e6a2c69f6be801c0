import { type CommandDef, defineCommand } from 'citty'
import { SemblanceError } from '../../client/client.ts'
import { StartupError } from '../../errors.ts'
import { checkArgs, type GivenFlags } from '../flags.ts'
import { UsageError } from '../usage-error.ts'
import { type RemoteCommand, remoteCommands } from './commands.ts'

const define = (name: string, command: RemoteCommand, env: NodeJS.ProcessEnv): CommandDef =>
  defineCommand({
    meta: { name, description: command.description },
    args: command.args,
    run: ({ rawArgs }) => run(name, command, rawArgs, env),
  })

export const remoteCommandsIn = (env: NodeJS.ProcessEnv): Record<string, CommandDef> =>
  Object.fromEntries(
    Object.entries(remoteCommands).map(([name, command]) => [name, define(name, command, env)]),
  )

async function run(
  name: string,
  command: RemoteCommand,
  rawArgs: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const given = flagsOf(name, command, rawArgs)
  // Whoever reads the output may have enough of it, as head does.
  process.stdout.on('error', () => process.exit(0))
  try {
    await (await command.load())(given, env)
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
  const places = Object.entries(args).filter(([, arg]) => arg.type === 'positional')
  const missing = places.find(([place, arg]) => arg.required !== false && !given.values[place])
  if (missing === undefined) return given
  const usage = places.map(([place, { required }]) => (required === false ? `[${place}]` : place))
  throw new UsageError(`give ${missing[0]}: semblance ${name} ${usage.join(' ').toUpperCase()}`)
}

/** What is no mistake of the program's, in a line. */
function told(error: unknown): unknown {
  if (error instanceof SemblanceError) {
    const hint = error.status === 401 ? '; see semblance login' : ''
    return new StartupError(error.message + hint)
  }
  const isOfSystem = error instanceof Error && 'syscall' in error
  return isOfSystem ? new StartupError(error.message) : error
}
