import { z } from 'zod'
import { integer, setting } from './setting.ts'

/** The values of libpq's sslmode, except `allow`. */
const tlsModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

export type TlsMode = (typeof tlsModes)[number]

/** Where PostgreSQL is. If one of these is given, the default is PostgreSQL. */
export const postgresSettings = {
  databaseUrl: setting(z.string().optional(), {
    env: 'SERVICE_DATABASE_URL',
    isSecret: true,
    default: 'none',
    help: 'postgres://user:password@host:port/name?sslmode=…, for the SERVICE_DB* that are not given',
  }),
  dbHost: setting(
    z
      .string()
      .regex(/^[^,]*$/, 'must be one host')
      .default('localhost'),
    { help: 'Database host, or the folder of its Unix socket' },
  ),
  dbPort: setting(integer(1, 65_535).default(5432), { help: 'Database port' }),
  dbUser: setting(z.string().default('postgres'), { help: 'Database user' }),
  dbPassword: setting(z.string().default('password'), {
    isSecret: true,
    help: 'Database password',
  }),
  dbName: setting(z.string().default('postgres'), { help: 'Database name' }),
  dbSslMode: setting(
    z
      .enum(tlsModes, { error: `must be ${tlsModes.join(', ')} (allow is not supported)` })
      .default('prefer'),
    { help: 'TLS to the database: disable, prefer, require, verify-ca or verify-full' },
  ),
  dbSslRootCert: setting(z.string().optional(), {
    default: 'the authorities that the runtime knows',
    help: 'PEM file of the authorities that may sign the certificate of the database',
  }),
  dbConnections: setting(integer(6, 10_000).default(32), {
    help: 'Connections of each process to PostgreSQL',
  }),
}

export const databaseSettings = {
  database: setting(
    z.enum(['postgres', 'embedded'], { error: 'must be postgres or embedded' }).optional(),
    {
      default: 'embedded, or postgres when a SERVICE_DB* setting or a URL is given',
      example: 'embedded',
      help: 'postgres or embedded',
    },
  ),
  dataDir: setting(z.string().default('./data'), { help: 'Folder of the embedded database' }),
  durability: setting(
    z.enum(['full', 'relaxed'], { error: 'must be full or relaxed' }).default('full'),
    {
      help: 'Whether the embedded database survives a power cut: full, or relaxed to write faster',
    },
  ),
  ...postgresSettings,
}
