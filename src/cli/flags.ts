import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parse } from 'dotenv'
import { type Config, readConfig } from '../config/config.ts'
import { mistypedSettings } from '../config/mistyped-settings.ts'
import type { SettingInfo } from '../config/setting.ts'
import { nearest } from '../did-you-mean.ts'
import { StartupError } from '../errors.ts'

/** A command of the program. */
export interface Command {
  readonly description: string
  /** Its arguments that are not settings. */
  readonly args?: Readonly<Record<string, Argument>>
  /** The settings that it reads. */
  readonly settings?: readonly SettingInfo[]
  run(given: Given, env: NodeJS.ProcessEnv): Promise<void> | void
}

interface Argument {
  readonly type: 'string' | 'boolean' | 'positional'
  readonly description: string
  /** Only of positional ones, which are required otherwise. */
  readonly required?: false
}

/** What the command line says after the name of the command. */
interface Given {
  readonly values: Readonly<Record<string, string | undefined>>
  /**
   * The configuration from flags, environment and the .env file of the current folder.
   * @param warn hears of names that seem to be mistyped
   */
  config(warn?: (warning: string) => void): Config
}

interface Flag {
  readonly name: string
  readonly type: 'string' | 'boolean'
  readonly alias?: string | undefined
}

/** All flags of a command, by each of their spellings: `--port`, `-p` and `--p`. */
function flagsOf({ args = {}, settings = [] }: Command): ReadonlyMap<string, Flag> {
  const flags: Flag[] = []
  for (const [name, { type }] of Object.entries(args)) {
    if (type !== 'positional') flags.push({ name, type })
  }
  for (const { flag: name, type, alias } of settings) {
    if (name !== undefined) flags.push({ name, type, alias })
  }
  const byName = new Map(flags.map((flag) => [flag.name, flag]))
  for (const flag of flags) if (flag.alias !== undefined) byName.set(flag.alias, flag)
  return byName
}

/**
 * Reads the arguments after the name of a command.
 * @throws StartupError that names the flag, never a value, which may be a secret
 */
export function parseFlags(
  rawArgs: readonly string[],
  command: Command,
  env: NodeJS.ProcessEnv,
): Given {
  const flags = flagsOf(command)
  const options = Object.fromEntries(
    [...flags].map(([spelling, { type, alias }]) => [
      spelling,
      { type, ...(alias !== undefined && alias !== spelling && { short: alias }) },
    ]),
  )
  const { tokens } = parseArgs({ args: [...rawArgs], options, strict: false, tokens: true })
  const values: Record<string, string> = {}
  const { args = {} } = command
  const places = Object.keys(args).filter((name) => args[name]?.type === 'positional')
  for (const token of tokens) {
    if (token.kind === 'positional') {
      const place = places.shift()
      if (place === undefined) throw tooMany()
      values[place] = token.value
    } else if (token.kind === 'option') {
      const { name, value } = flagValue(token, rawArgs[token.index] ?? '', flags)
      values[name] = value
    }
  }
  return {
    values,
    config: (warn = () => {}) => {
      const dotenv = readDotenv()
      for (const warning of mistypedSettings(values, env, dotenv)) warn(warning)
      return readConfig(values, env, dotenv)
    },
  }
}

interface Option {
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

/** @param raw the whole argument, such as `--port=80` */
function flagValue(
  { name, rawName, value, inlineValue }: Option,
  raw: string,
  flags: ReadonlyMap<string, Flag>,
) {
  // Node reads `-port` as the flag `-p` with a value.
  const long = /^-([a-z][\w-]+)/.exec(raw)?.[1]
  if (long !== undefined && flags.has(long)) throw unknownFlag(`-${long}`, flags)
  const negated = flags.get(/^no-(.*)$/.exec(name)?.[1] ?? '')
  if (negated?.type === 'boolean' && value === undefined) {
    return { name: negated.name, value: 'false' }
  }
  const flag = flags.get(name)
  if (flag === undefined) throw unknownFlag(rawName, flags)
  if (flag.type === 'boolean') return { name: flag.name, value: value ?? 'true' }
  if (!value || (value.startsWith('--') && inlineValue !== true)) {
    throw new StartupError(`${rawName} needs a value`)
  }
  return { name: flag.name, value }
}

function unknownFlag(typed: string, flags: ReadonlyMap<string, Flag>): StartupError {
  const names = [...flags.values()].map(({ name }) => name)
  const meant = nearest(typed.replace(/^-+/, ''), names)
  const hint = meant === undefined ? 'see --help' : `did you mean --${meant}?`
  return new StartupError(`unknown flag ${typed}; ${hint}`)
}

function tooMany(): StartupError {
  const hint = 'a value follows its flag, that of a switch after "=" as in --debug=false'
  return new StartupError(`there is an argument too many; ${hint}`)
}

/** The .env file of the current folder, if there is one. */
export function readDotenv(): Record<string, string> {
  try {
    return parse(readFileSync('.env'))
  } catch {
    return {}
  }
}
