import { z } from 'zod'
import { StartupError } from '../errors.ts'
import { postgresSettings } from './database-settings.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { type Strings, secretFrom } from './secret-file.ts'
import type { SettingInfo } from './setting.ts'
import { settingSchemas, settings } from './settings.ts'

const Settings = z.object(settingSchemas)

export type Config = Readonly<z.output<typeof Settings>> & {
  readonly database: 'postgres' | 'embedded'
}

/**
 * Merges the sources of settings. An empty setting counts as not given.
 * @throws StartupError that names the first wrong setting, but never its value
 */
export function readConfig(flags: Strings, env: Strings, dotenv: Strings): Config {
  const given: Record<string, string> = {}
  for (const [name, info] of Object.entries(settings)) {
    const value = lookUp(info, flags, [env, dotenv])
    if (value !== undefined) given[name] = value
  }
  const { databaseUrl } = given
  const fromUrl = databaseUrl === undefined ? {} : parseDatabaseUrl(databaseUrl)
  const { data, error } = Settings.safeParse({ ...fromUrl, ...given })
  const nameOf = (name: string) => calledAs(settings[name], flags)
  if (error !== undefined) throw refusal(error, given, nameOf)
  checkTls(data, nameOf)
  const means = Object.keys(postgresSettings).some((name) => name in given)
    ? 'postgres'
    : 'embedded'
  const config = { ...data, database: data.database ?? means }
  if (config.database === 'postgres' && config.durability === 'relaxed') {
    throw new StartupError(
      `${nameOf('durability')}=relaxed is for the embedded database; unset it, and see synchronous_commit of PostgreSQL`,
    )
  }
  return config
}

function lookUp({ env, flag, isSecret }: SettingInfo, flags: Strings, places: readonly Strings[]) {
  const fromFlag = flag && flags[flag]
  if (fromFlag) return fromFlag
  for (const place of places) {
    const value = isSecret ? secretFrom(place, env) : place[env] || undefined
    if (value !== undefined && !isServiceLink(env, value)) return value
  }
  return undefined
}

/**
 * Whether this is what Kubernetes says of a service: SERVICE_PORT is the port of this program, and
 * the address of a service that is called `service`.
 */
export const isServiceLink = (name: string, value: string): boolean =>
  /_PORT$/.test(name) && /^(tcp|udp|sctp):\/\//.test(value)

/** Names a setting as the operator gave it: by a flag, or by its name in the environment. */
function calledAs(info: SettingInfo | undefined, flags: Strings): string {
  const flag = info?.flag
  return flag !== undefined && flags[flag] ? `--${flag}` : `${info?.env}`
}

type NameOf = (name: string) => string

function refusal(
  { issues: [issue] }: z.ZodError,
  given: Record<string, string>,
  nameOf: NameOf,
): StartupError {
  const name = String(issue?.path[0])
  const source = name in given ? '' : ` (in ${nameOf('databaseUrl')})`
  return new StartupError(`${nameOf(name)}${source} ${issue?.message}`)
}

function checkTls(
  { dbSslMode: mode, dbSslRootCert: rootCert }: z.output<typeof Settings>,
  nameOf: NameOf,
): void {
  if (rootCert === undefined || !['disable', 'prefer'].includes(mode)) return
  throw new StartupError(
    `${nameOf('dbSslRootCert')} is of no use with ${nameOf('dbSslMode')}=${mode}; set that to verify-full, verify-ca or require`,
  )
}
