import { z } from 'zod'
import { StartupError } from '../errors.ts'
import { postgresSettings } from './database-settings.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { secretFrom } from './secret-file.ts'
import type { SettingInfo } from './setting.ts'
import { settingSchemas, settings } from './settings.ts'

type Values = { readonly [env: string]: string | undefined }

const Settings = z.object(settingSchemas)

export type Config = Readonly<z.output<typeof Settings>> & {
  readonly database: 'postgres' | 'embedded'
}

/**
 * Merges the sources of settings. An empty setting counts as not given.
 * @throws StartupError that names the first setting that is wrong; never with its value
 */
export function readConfig(flags: Values, env: Values, dotenv: Values): Config {
  const given: Record<string, string> = {}
  for (const [name, info] of Object.entries(settings)) {
    const value = lookUp(info, flags, [env, dotenv])
    if (value !== undefined) given[name] = value
  }
  const { databaseUrl } = given
  const fromUrl = databaseUrl === undefined ? {} : parseDatabaseUrl(databaseUrl)
  const { data, error } = Settings.safeParse({ ...fromUrl, ...given })
  if (error !== undefined) throw refusal(error, given)
  checkTls(data)
  const means = Object.keys(postgresSettings).some((name) => name in given)
    ? 'postgres'
    : 'embedded'
  return { ...data, database: data.database ?? means }
}

function lookUp({ env, flag, isSecret }: SettingInfo, flags: Values, places: readonly Values[]) {
  const fromFlag = flag && flags[flag]
  if (fromFlag) return fromFlag
  for (const place of places) {
    const value = isSecret ? secretFrom(place, env) : place[env] || undefined
    if (value !== undefined) return value
  }
  return undefined
}

function refusal({ issues: [issue] }: z.ZodError, given: Record<string, string>): StartupError {
  const name = String(issue?.path[0])
  const source = name in given ? '' : ' (in SERVICE_DATABASE_URL)'
  return new StartupError(`${settings[name]?.env}${source} ${issue?.message}`)
}

function checkTls({ dbSslMode: mode, dbSslRootCert: rootCert }: z.output<typeof Settings>): void {
  if (rootCert === undefined || !['disable', 'prefer'].includes(mode)) return
  throw new StartupError(
    `SERVICE_DBSSLROOTCERT is of no use with SERVICE_DBSSLMODE=${mode}; set that to verify-full, verify-ca or require`,
  )
}
