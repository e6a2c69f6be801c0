/** A setting as the command line and the documentation show it. */
export interface SettingInfo {
  readonly env: string
  readonly flag?: string
  readonly alias?: string
  readonly type: 'string' | 'boolean'
  /** Whether the file that holds it can be named instead, in the environment and in .env. */
  readonly isSecret?: true
  readonly default: string
  readonly help: string
}

/** What libpq's sslmode takes, without `allow`. */
export const tlsModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

export type TlsMode = (typeof tlsModes)[number]

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
    default: 'embedded, or postgres when a SERVICE_DB* setting or a URL is given',
    help: 'postgres or embedded',
  },
  dataDir: {
    env: 'SERVICE_DATADIR',
    flag: 'data-dir',
    type: 'string',
    default: './data',
    help: 'Folder of the embedded database',
  },
  databaseUrl: {
    env: 'SERVICE_DATABASE_URL',
    flag: 'database-url',
    type: 'string',
    isSecret: true,
    default: 'none',
    help: 'postgres://user:password@host:port/name?sslmode=…, for the SERVICE_DB* that are not given',
  },
  dbHost: {
    env: 'SERVICE_DBHOST',
    flag: 'db-host',
    type: 'string',
    default: 'localhost',
    help: 'Database host, or the folder of its Unix socket',
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
    isSecret: true,
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
  dbSslMode: {
    env: 'SERVICE_DBSSLMODE',
    flag: 'db-ssl-mode',
    type: 'string',
    default: 'prefer',
    help: 'TLS to the database: disable, prefer, require, verify-ca or verify-full',
  },
  dbSslRootCert: {
    env: 'SERVICE_DBSSLROOTCERT',
    flag: 'db-ssl-root-cert',
    type: 'string',
    default: 'the authorities that the runtime knows',
    help: 'PEM file of the authorities that may sign the certificate of the database',
  },
  dbConnections: {
    env: 'SERVICE_DBCONNECTIONS',
    flag: 'db-connections',
    type: 'string',
    default: '32',
    help: 'Connections to PostgreSQL in all, 2 of them for maintenance',
  },
  poolShort: {
    env: 'SERVICE_POOLSHORT',
    flag: 'pool-short',
    type: 'string',
    default: '10',
    help: 'Connections for short statements, such as finding out who asks; at least 2',
  },
  poolSearch: {
    env: 'SERVICE_POOLSEARCH',
    flag: 'pool-search',
    type: 'string',
    default: '16',
    help: 'Connections for searches',
  },
  poolBulk: {
    env: 'SERVICE_POOLBULK',
    flag: 'pool-bulk',
    type: 'string',
    default: '4',
    help: 'Connections for uploads and what else moves many rows',
  },
  adminKey: {
    env: 'SERVICE_ADMINKEY',
    flag: 'admin-key',
    type: 'string',
    isSecret: true,
    default: 'none; generated for embedded',
    help: 'Administrator key, at least 16 characters',
  },
  encryptionKey: {
    env: 'ENCRYPTION_KEY',
    type: 'string',
    isSecret: true,
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
