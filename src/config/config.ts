import { z } from 'zod'
import { StartupError } from '../errors.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { secretFrom } from './secret-file.ts'
import { type SettingInfo, settings, tlsModes } from './settings.ts'

type Name = keyof typeof settings
type Values = { readonly [env: string]: string | undefined }

const names = Object.keys(settings) as Name[]
const databaseSettings: readonly Name[] = [
  'databaseUrl',
  'dbHost',
  'dbPort',
  'dbUser',
  'dbPassword',
  'dbName',
  'dbSslMode',
  'dbSslRootCert',
  'dbConnections',
]

const switchValue = z.stringbool({ error: 'must be true or false' })
const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number between ${min} and ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`)
const key = (length: number) =>
  z.string().min(length, `must have at least ${length} characters`).optional()
const poolSize = integer(1, 10_000).optional()

const Settings = z.object({
  debug: switchValue.default(true),
  host: z.string().default('localhost'),
  port: integer(0, 65_535).default(8880),
  database: z.enum(['postgres', 'embedded'], { error: 'must be postgres or embedded' }).optional(),
  dataDir: z.string().default('./data'),
  databaseUrl: z.string().optional(),
  dbHost: z
    .string()
    .regex(/^[^,]*$/, 'must be one host')
    .default('localhost'),
  dbPort: integer(1, 65_535).default(5432),
  dbUser: z.string().default('postgres'),
  dbPassword: z.string().default('password'),
  dbName: z.string().default('postgres'),
  dbSslMode: z
    .enum(tlsModes, { error: `must be ${tlsModes.join(', ')} (allow is not supported)` })
    .default('prefer'),
  dbSslRootCert: z.string().optional(),
  dbConnections: integer(6, 10_000).default(32),
  // One of them is kept free of transactions.
  poolShort: integer(2, 10_000).optional(),
  poolSearch: poolSize,
  poolBulk: poolSize,
  adminKey: key(16).refine((value) => value === undefined || /^[\x21-\x7e]+$/.test(value), {
    message: 'must be of ASCII letters, digits and signs without spaces, as it goes into a header',
  }),
  encryptionKey: key(32),
  maxBody: integer(1, 2 ** 30).default(64 * 1024 * 1024),
  trustProxy: switchValue.default(false),
  rateLimit: integer(0, 1_000_000_000).default(0),
  publicMetrics: switchValue.default(false),
  exactBudget: integer(0, 1e15 - 1).optional(),
  maxIndexes: integer(0, 1_000).default(200),
  maxScan: integer(0, 1e15 - 1).default(10_000_000_000),
})

export type Config = Readonly<z.output<typeof Settings>> & {
  readonly database: 'postgres' | 'embedded'
}

type Given = { [name in Name]?: string }

/**
 * Merges the sources of settings. An empty setting counts as not given.
 * @throws StartupError that names the first setting that is wrong; never with its value
 */
export function readConfig(flags: Values, env: Values, dotenv: Values): Config {
  const given: Given = {}
  for (const name of names) {
    const value = lookUp(settings[name], flags, [env, dotenv])
    if (value !== undefined) given[name] = value
  }
  const isGiven = databaseSettings.some((name) => given[name] !== undefined)
  const fromUrl = given.databaseUrl === undefined ? {} : parseDatabaseUrl(given.databaseUrl)
  const { data, error } = Settings.safeParse({ ...fromUrl, ...given })
  if (error !== undefined) {
    const [issue] = error.issues
    const name = names.find((candidate) => candidate === issue?.path[0]) ?? 'host'
    const source =
      given[name] === undefined
        ? `${settings[name].env} (in SERVICE_DATABASE_URL)`
        : settings[name].env
    throw new StartupError(`${source} ${issue?.message}`)
  }
  checkTls(data)
  return { ...data, database: data.database ?? (isGiven ? 'postgres' : 'embedded') }
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

function checkTls({ dbSslMode: mode, dbSslRootCert: rootCert }: z.output<typeof Settings>): void {
  if (rootCert === undefined || !['disable', 'prefer'].includes(mode)) return
  throw new StartupError(
    `SERVICE_DBSSLROOTCERT is of no use with SERVICE_DBSSLMODE=${mode}; set that to verify-full, verify-ca or require`,
  )
}
