import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { ArgsDef } from 'citty'
import { parse } from 'dotenv'
import { type Config, readConfig } from '../config/config.ts'
import type { SettingInfo } from '../config/setting.ts'
import { settings, storeSettings } from '../config/settings.ts'
import { nearest } from '../did-you-mean.ts'
import { StartupError } from '../errors.ts'

/**
 * The settings as citty's arguments. They have no defaults, which would override the environment.
 */
const argsOf = (infos: readonly SettingInfo[]): ArgsDef =>
  Object.fromEntries(
    infos.flatMap(({ flag, type, alias }) =>
      flag === undefined ? [] : [[flag, { type, ...(alias !== undefined && { alias }) }]],
    ),
  )

export const serveArgs = argsOf(Object.values(settings))
/** For commands that work only on the stored data. */
export const storeArgs = argsOf(storeSettings)

/** The arguments that `migrate` adds to these settings. */
export const distributeArgs: ArgsDef = {
  distribute: {
    type: 'boolean',
    description: 'Distribute embeddings over the workers of a Citus cluster',
  },
  shards: {
    type: 'string',
    description: 'With --distribute: into how many tables they are divided (default: 32)',
  },
}
export const migrateArgs: ArgsDef = { ...distributeArgs, ...storeArgs }

/** The arguments that `move` adds to the settings of its source. */
const toArgs: ArgsDef = {
  to: {
    type: 'string',
    description: 'Where to: postgres://user:password@host:port/name, or a folder',
  },
}
export const moveArgs: ArgsDef = { ...toArgs, ...storeArgs }

/**
 * The settings that a command with these arguments reads, and its arguments that are not settings.
 */
export function settingsOf(args: unknown): readonly [readonly SettingInfo[], ArgsDef] | undefined {
  if (args === serveArgs) return [Object.values(settings), {}]
  if (args === storeArgs) return [storeSettings, {}]
  if (args === moveArgs) return [storeSettings, toArgs]
  return args === migrateArgs ? [storeSettings, distributeArgs] : undefined
}

/** The arguments after the name of a command. */
interface GivenFlags {
  readonly values: Readonly<Record<string, string | undefined>>
  /** How a flag was typed, by its name: `-p` for `port`. */
  readonly typed: Readonly<Record<string, string | undefined>>
}

const aliasOf = (arg: ArgsDef[string]) =>
  'alias' in arg && typeof arg.alias === 'string' ? arg.alias : undefined

/** The name of a flag, from any of its spellings: `-p`, `--p` and `port`. */
const fullName = (given: string, known: ArgsDef) =>
  Object.entries(known).find(([, arg]) => aliasOf(arg) === given)?.[0] ?? given

/** Properties that every object has, such as `constructor`, are not flags. */
const find = (known: ArgsDef, name: string) => {
  const arg = Object.hasOwn(known, name) ? known[name] : undefined
  return arg?.type === 'positional' ? undefined : arg
}

/** The arguments in the form that Node's parser takes. */
function optionsOf(known: ArgsDef) {
  const option = ([name, arg]: [string, ArgsDef[string]]) => {
    const short = aliasOf(arg)
    const type: 'string' | 'boolean' = arg.type === 'string' ? 'string' : 'boolean'
    return [
      [name, { type, ...(short !== undefined && { short }) }],
      ...(short === undefined ? [] : [[short, { type }]]),
    ]
  }
  return Object.fromEntries(Object.entries(known).flatMap(option))
}

/**
 * citty accepts everything, so this refuses what the command does not know.
 * @throws StartupError that names a flag as it was typed, never a value, which may be a secret
 */
export function checkArgs(rawArgs: readonly string[], known: ArgsDef): GivenFlags {
  const { tokens } = parseArgs({
    args: [...rawArgs],
    options: optionsOf(known),
    strict: false,
    tokens: true,
  })
  const values: Record<string, string> = {}
  const typed: Record<string, string> = {}
  const places = Object.keys(known).filter((name) => known[name]?.type === 'positional')
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') {
      const place = places.shift()
      if (place === undefined) throw tooMany()
      values[place] = token.value
      continue
    }
    const flag = flagOf(token, rawArgs[token.index] ?? '', known)
    typed[flag.name] = token.rawName
    values[flag.name] = flag.value
  }
  return { values, typed }
}

interface Option {
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

function flagOf({ name, rawName, value, inlineValue }: Option, raw: string, known: ArgsDef) {
  const flag = fullName(name, known)
  const arg = find(known, flag)
  const long = /^-([a-z][\w-]+)/.exec(raw)?.[1]
  if (long !== undefined && find(known, long)) throw unknownFlag(`-${long}`, known)
  const negated = /^no-(.*)$/.exec(flag)?.[1] ?? ''
  if (find(known, negated)?.type === 'boolean' && value === undefined) {
    return { name: negated, value: 'false' }
  }
  if (arg === undefined) throw unknownFlag(rawName, known)
  if (arg.type !== 'string') return { name: flag, value: value ?? 'true' }
  if (!value || (value.startsWith('--') && inlineValue !== true)) {
    throw new StartupError(`${rawName} needs a value`)
  }
  return { name: flag, value }
}

function unknownFlag(typed: string, known: ArgsDef): StartupError {
  const meant = nearest(typed.replace(/^-+/, ''), Object.keys(known))
  const hint = meant === undefined ? 'see --help' : `did you mean --${meant}?`
  return new StartupError(`unknown flag ${typed}; ${hint}`)
}

function tooMany(): StartupError {
  const hint = 'a value follows its flag, that of a switch after "=" as in --debug=false'
  return new StartupError(`there is an argument too many; ${hint}`)
}

/** The configuration from flags, environment and the .env file of the current folder. */
export function configFrom(
  rawArgs: readonly string[],
  known: ArgsDef,
  env: NodeJS.ProcessEnv,
): Config {
  const { values, typed } = checkArgs(rawArgs, known)
  return readConfig(values, env, readDotenv(), typed)
}

/** The .env file of the current folder, if there is one. */
export function readDotenv(): Record<string, string> {
  try {
    return parse(readFileSync('.env'))
  } catch {
    return {}
  }
}
