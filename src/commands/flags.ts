import { readFileSync } from 'node:fs'
import type { ArgsDef } from 'citty'
import { parse } from 'dotenv'
import { type Config, readConfig, type SettingInfo, settings } from '../config.ts'
import { StartupError } from '../errors.ts'

/** The settings as citty's arguments; without defaults, which would beat the environment. */
export const settingArgs: ArgsDef = Object.fromEntries(
  Object.values(settings).flatMap((info: SettingInfo) =>
    info.flag === undefined
      ? []
      : [
          [
            info.flag,
            {
              type: info.type,
              description: `${info.help} [${info.env}; default: ${info.default}]`,
              ...(info.alias !== undefined && { alias: info.alias }),
            },
          ],
        ],
  ),
)

type ParsedArgs = Readonly<Record<string, unknown>> & { readonly _: readonly string[] }

/** citty takes everything; this refuses what the command does not know. @throws StartupError */
export function checkArgs(args: ParsedArgs, known: ArgsDef): Record<string, string | undefined> {
  const [leftover] = args._
  if (leftover !== undefined) {
    throw new StartupError(`unexpected argument '${leftover}'; values of switches follow "="`)
  }
  const aliases = Object.values(known).flatMap((arg) => ('alias' in arg ? arg.alias : []))
  const names = new Set(['_', ...Object.keys(known), ...aliases])
  const values: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(args)) {
    // citty offers every flag in camel case as well.
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    if (!names.has(flag)) {
      throw new StartupError(`unknown flag --${name}; see --help`)
    }
    if (value === '') throw new StartupError(`--${flag} needs a value`)
    if (flag !== '_' && value !== undefined) values[flag] = String(value)
  }
  return values
}

/** The configuration from flags, environment and the .env file of the current folder. */
export function configFrom(args: ParsedArgs, env: NodeJS.ProcessEnv): Config {
  return readConfig(checkArgs(args, settingArgs), env, readDotenv())
}

function readDotenv(): Record<string, string> {
  try {
    return parse(readFileSync('.env'))
  } catch {
    return {}
  }
}
