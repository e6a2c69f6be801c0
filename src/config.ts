import { z } from 'zod'
import { StartupError } from './errors.ts'

/** A setting as the command line and the documentation show it. */
export interface SettingInfo {
  readonly env: string
  readonly flag?: string
  readonly alias?: string
  readonly type: 'string' | 'boolean'
  readonly default: string
  readonly help: string
}

/** All settings. Priority, highest first: flag, environment variable, .env file, default. */
export const settings = {
  debug: {
    env: 'SERVICE_DEBUG',
    flag: 'debug',
    alias: 'd',
    type: 'boolean',
    default: 'true',
    help: 'Verbose logging',
  },
  host: {
    env: 'SERVICE_HOST',
    flag: 'host',
    type: 'string',
    default: 'localhost',
    help: 'Bind address',
  },
  port: {
    env: 'SERVICE_PORT',
    flag: 'port',
    alias: 'p',
    type: 'string',
    default: '8880',
    help: 'Listening port; 0 takes a free one',
  },
  database: {
    env: 'SERVICE_DATABASE',
    flag: 'database',
    type: 'string',
    default: 'embedded, or postgres when a SERVICE_DB* setting is given',
    help: 'postgres or embedded',
  },
  dataDir: {
    env: 'SERVICE_DATADIR',
    flag: 'data-dir',
    type: 'string',
    default: './data',
    help: 'Folder of the embedded database',
  },
  dbHost: {
    env: 'SERVICE_DBHOST',
    flag: 'db-host',
    type: 'string',
    default: 'localhost',
    help: 'Database host',
  },
  dbPort: {
    env: 'SERVICE_DBPORT',
    flag: 'db-port',
    type: 'string',
    default: '5432',
    help: 'Database port',
  },
  dbUser: {
    env: 'SERVICE_DBUSER',
    flag: 'db-user',
    type: 'string',
    default: 'postgres',
    help: 'Database user',
  },
  dbPassword: {
    env: 'SERVICE_DBPASSWORD',
    flag: 'db-password',
    type: 'string',
    default: 'password',
    help: 'Database password',
  },
  dbName: {
    env: 'SERVICE_DBNAME',
    flag: 'db-name',
    type: 'string',
    default: 'postgres',
    help: 'Database name',
  },
  adminKey: {
    env: 'SERVICE_ADMINKEY',
    flag: 'admin-key',
    type: 'string',
    default: 'none; generated for embedded',
    help: 'Administrator key, at least 16 characters',
  },
  encryptionKey: {
    env: 'ENCRYPTION_KEY',
    type: 'string',
    default: 'none; generated for embedded',
    help: 'Key that seals stored secrets, at least 32 characters',
  },
  maxBody: {
    env: 'SERVICE_MAXBODY',
    flag: 'max-body',
    type: 'string',
    default: '67108864',
    help: 'Largest upload of embeddings in bytes, after decompression; other bodies have 1 MiB at most',
  },
  trustProxy: {
    env: 'SERVICE_TRUSTPROXY',
    flag: 'trust-proxy',
    type: 'boolean',
    default: 'false',
    help: 'Believe X-Forwarded-Proto and X-Forwarded-Host, which a proxy in front sets',
  },
  rateLimit: {
    env: 'SERVICE_RATELIMIT',
    flag: 'rate-limit',
    type: 'string',
    default: '0',
    help: "Requests a minute with one user's key; 0 for no limit",
  },
  publicMetrics: {
    env: 'SERVICE_PUBLICMETRICS',
    flag: 'public-metrics',
    type: 'boolean',
    default: 'false',
    help: 'Serve /metrics without the administrator key',
  },
  exactBudget: {
    env: 'SERVICE_EXACTBUDGET',
    flag: 'exact-budget',
    type: 'string',
    default: '5000000 for postgres; no limit for embedded',
    help: 'Vectors × dimensions above which a project gets an index',
  },
  maxIndexes: {
    env: 'SERVICE_MAXINDEXES',
    flag: 'max-indexes',
    type: 'string',
    default: '200',
    help: 'Largest number of projects with an index; 0 for none',
  },
  maxScan: {
    env: 'SERVICE_MAXSCAN',
    flag: 'max-scan',
    type: 'string',
    default: '10000000000',
    help: 'Vectors × dimensions above which no exact search fills up what an index finds',
  },
} as const satisfies Record<string, SettingInfo>

type Name = keyof typeof settings
type Values = { readonly [env: string]: string | undefined }

const names = Object.keys(settings) as Name[]
const databaseSettings: readonly Name[] = ['dbHost', 'dbPort', 'dbUser', 'dbPassword', 'dbName']

const switchValue = z.stringbool({ error: 'must be true or false' })
const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number between ${min} and ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`)
const key = (length: number) =>
  z.string().min(length, `must have at least ${length} characters`).optional()

const Settings = z.object({
  debug: switchValue.default(true),
  host: z.string().default('localhost'),
  port: integer(0, 65_535).default(8880),
  database: z.enum(['postgres', 'embedded'], { error: 'must be postgres or embedded' }).optional(),
  dataDir: z.string().default('./data'),
  dbHost: z.string().default('localhost'),
  dbPort: integer(1, 65_535).default(5432),
  dbUser: z.string().default('postgres'),
  dbPassword: z.string().default('password'),
  dbName: z.string().default('postgres'),
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

/**
 * Merges the sources of settings. An empty setting counts as not given.
 * @throws StartupError that names the first setting that is wrong; never with its value
 */
export function readConfig(flags: Values, env: Values, dotenv: Values): Config {
  const given: { [name in Name]?: string } = {}
  for (const name of names) {
    const info: SettingInfo = settings[name]
    const sources = [info.flag && flags[info.flag], env[info.env], dotenv[info.env]]
    const value = sources.find((source) => source !== undefined && source !== '')
    if (value !== undefined) given[name] = value
  }
  const { data, error } = Settings.safeParse(given)
  if (error !== undefined) {
    const [issue] = error.issues
    const name = names.find((candidate) => candidate === issue?.path[0]) ?? 'host'
    throw new StartupError(`${settings[name].env} ${issue?.message}`)
  }
  const wantsPostgres = databaseSettings.some((name) => given[name] !== undefined)
  return { ...data, database: data.database ?? (wantsPostgres ? 'postgres' : 'embedded') }
}
