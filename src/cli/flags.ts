import { readFileSync } from 'node:fs'
import type { ArgsDef } from 'citty'
import { parse } from 'dotenv'
import { type Config, readConfig } from '../config/config.ts'
import { settings } from '../config/settings.ts'
import { StartupError } from '../errors.ts'

/** The settings as citty's arguments; without defaults, which would beat the environment. */
export const settingArgs: ArgsDef = Object.fromEntries(
  Object.values(settings).flatMap(({ flag, type, alias }) =>
    flag === undefined ? [] : [[flag, { type, ...(alias !== undefined && { alias }) }]],
  ),
)

/** What citty hands to a command. */
interface Given {
  readonly args: Readonly<Record<string, unknown>> & { readonly _: readonly string[] }
  readonly rawArgs: readonly string[]
}

/**
 * citty takes everything; this refuses what the command does not know.
 * @throws StartupError that names the flag, never a value, which may be a secret
 */
export function checkArgs({ args, rawArgs }: Given, known: ArgsDef) {
  const aliases = Object.values(known).flatMap((arg) => ('alias' in arg ? arg.alias : []))
  const names = new Set([...Object.keys(known), ...aliases])
  const values: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(args)) {
    if (name === '_' || value === undefined) continue
    // citty offers every flag in camel case as well.
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    if (!names.has(flag)) throw new StartupError(`unknown flag --${name}; see --help`)
    const isSwitch = known[flag]?.type !== 'string'
    if (!isSwitch && (typeof value !== 'string' || /^(--|$)/.test(value))) {
      throw new StartupError(`--${flag} needs a value`)
    }
    // To citty every value of a switch but "false" is true.
    const inline = rawArgs.findLast((arg) => arg.startsWith(`--${flag}=`))
    values[flag] = isSwitch && inline !== undefined ? inline.slice(flag.length + 3) : String(value)
  }
  if (args._.length > 0) {
    const hint = 'a value follows its flag, that of a switch after "=" as in --debug=false'
    throw new StartupError(`there is an argument too many; ${hint}`)
  }
  return values
}

/** The configuration from flags, environment and the .env file of the current folder. */
export function configFrom(given: Given, env: NodeJS.ProcessEnv): Config {
  return readConfig(checkArgs(given, settingArgs), env, readDotenv())
}

/** The .env file of the current folder, if there is one. */
export function readDotenv(): Record<string, string> {
  try {
    return parse(readFileSync('.env'))
  } catch {
    return {}
  }
}
