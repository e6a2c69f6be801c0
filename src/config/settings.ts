import { z } from 'zod'
import { databaseSettings } from './database-settings.ts'
import { infoOf, integer, type SettingInfo, setting, switchValue } from './setting.ts'

const serverSettings = {
  debug: setting(switchValue.default(true), {
    env: 'SERVICE_DEBUG',
    flag: 'debug',
    alias: 'd',
    help: 'Verbose logging',
  }),
  host: setting(z.string().default('localhost'), {
    env: 'SERVICE_HOST',
    flag: 'host',
    help: 'Bind address',
  }),
  port: setting(integer(0, 65_535).default(8880), {
    env: 'SERVICE_PORT',
    flag: 'port',
    alias: 'p',
    help: 'Listening port; 0 takes a free one',
  }),
  workers: setting(
    z
      .union([z.literal('auto'), integer(1, 256)], {
        error: 'must be auto or a whole number between 1 and 256',
      })
      .default(1),
    {
      env: 'SERVICE_WORKERS',
      flag: 'workers',
      help: 'Processes that serve, on PostgreSQL; auto for one for each core',
    },
  ),
}

const secret = (length: number) =>
  z.string().min(length, `must have at least ${length} characters`).optional()

const keySettings = {
  adminKey: setting(
    secret(16).refine((value) => value === undefined || /^[\x21-\x7e]+$/.test(value), {
      message:
        'must be of ASCII letters, digits and signs without spaces, as it goes into a header',
    }),
    {
      env: 'SERVICE_ADMINKEY',
      flag: 'admin-key',
      isSecret: true,
      default: 'none; generated for embedded',
      help: 'Administrator key, at least 16 characters',
    },
  ),
  /** It has no flag, because other users of the machine can see flags. */
  encryptionKey: setting(secret(32), {
    env: 'ENCRYPTION_KEY',
    isSecret: true,
    default: 'none; generated for embedded',
    help: 'Key that seals stored secrets, at least 32 characters',
  }),
}

/** Without a slash at its end. */
const publicUrlValue = z.string().transform((text, context) => {
  const problem = problemWithPublicUrl(text)
  if (problem === undefined) return new URL(text).href.replace(/\/+$/, '')
  context.addIssue({ code: 'custom', message: problem })
  return z.NEVER
})

function problemWithPublicUrl(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return 'must be a URL such as https://example.org/semblance'
  }
  if (/[?#@]/.test(text)) return 'must not have a name, a query or a fragment'
  const { pathname } = new URL(text)
  if (!/^[\w.~/-]*$/.test(pathname)) {
    return 'must have a path of letters, digits and the signs - . _ ~'
  }
  return /^\/(v1|docs|explore|scripts)(\/|$)/.test(pathname)
    ? 'must have another path, since the service itself has /v1, /docs, /explore and /scripts'
    : undefined
}

const requestSettings = {
  maxBody: setting(integer(1, 2 ** 30).default(64 * 1024 * 1024), {
    env: 'SERVICE_MAXBODY',
    flag: 'max-body',
    help: 'Largest upload of embeddings in bytes, after decompression; other bodies have 1 MiB at most',
  }),
  trustProxy: setting(switchValue.default(false), {
    env: 'SERVICE_TRUSTPROXY',
    flag: 'trust-proxy',
    help: 'Believe X-Forwarded-Proto, -Host and -For, which a proxy in front sets',
  }),
  publicUrl: setting(publicUrlValue.optional(), {
    env: 'SERVICE_PUBLICURL',
    flag: 'public-url',
    help: 'URL at which clients reach the service, such as https://example.org/semblance',
    default: 'that of each request',
    example: '',
  }),
  slowRequest: setting(integer(0, 86_400_000).default(1_000), {
    env: 'SERVICE_SLOWREQUEST',
    flag: 'slow-request',
    help: 'Milliseconds above which a request is logged as a warning; 0 for none',
  }),
  rateLimit: setting(integer(0, 1_000_000_000).default(0), {
    env: 'SERVICE_RATELIMIT',
    flag: 'rate-limit',
    help: "Requests a minute with one user's key; 0 for no limit",
  }),
  publicMetrics: setting(switchValue.default(false), {
    env: 'SERVICE_PUBLICMETRICS',
    flag: 'public-metrics',
    help: 'Serve /metrics without the administrator key',
  }),
  mcp: setting(switchValue.default(true), {
    env: 'SERVICE_MCP',
    flag: 'mcp',
    help: 'Serve /mcp, the tools for agents',
  }),
}

const searchSettings = {
  embeddingHosts: setting(z.string().default(''), {
    env: 'SERVICE_EMBEDDINGHOSTS',
    flag: 'embedding-hosts',
    help: 'Hosts that texts may be sent to with the keys of instances, such as api.openai.com,localhost:11434',
    default: 'none',
    example: '',
  }),
  // Comparing this many costs 5 ms of one core on PostgreSQL, and 1 ms in memory.
  exactBudget: setting(integer(0, 1e15 - 1).default(5_000_000), {
    env: 'SERVICE_EXACTBUDGET',
    flag: 'exact-budget',
    help: 'Vectors × dimensions above which a project is searched approximately',
  }),
  vectorMemory: setting(integer(0, 1_000_000).optional(), {
    env: 'SERVICE_VECTORMEMORY',
    flag: 'vector-memory',
    help: 'MB of vectors that each process keeps in memory; 0 for none',
    default: 'a quarter of the memory, at least 1024; 1024 with several workers',
    example: '1024',
  }),
  cacheDir: setting(z.string().min(1).optional(), {
    env: 'SERVICE_CACHEDIR',
    flag: 'cache-dir',
    help: 'Folder for files with the vectors in memory, which the next start reads',
    default: 'SERVICE_DATADIR with the embedded database; no such files with PostgreSQL',
    example: './cache',
  }),
  maxIndexes: setting(integer(0, 1_000).default(200), {
    env: 'SERVICE_MAXINDEXES',
    flag: 'max-indexes',
    help: 'Largest number of projects with an index; 0 for none',
  }),
  // Longer than the pauses of a client that embeds each batch with a model before it sends it.
  indexDelay: setting(integer(0, 86_400).default(30), {
    env: 'SERVICE_INDEXDELAY',
    flag: 'index-delay',
    help: 'Seconds in which a project must hardly have grown before its index is built',
  }),
  maxScan: setting(integer(0, 1e15 - 1).default(10_000_000_000), {
    env: 'SERVICE_MAXSCAN',
    flag: 'max-scan',
    help: 'Vectors × dimensions above which no exact search fills up what an index finds',
  }),
}

/** All settings. Priority, highest first: flag, environment variable, .env file, default. */
export const settingSchemas = {
  ...serverSettings,
  ...databaseSettings,
  ...keySettings,
  ...requestSettings,
  ...searchSettings,
}

/** How the command line and the documentation show each setting, by the same names. */
export const settings: Readonly<Record<string, SettingInfo>> = Object.fromEntries(
  Object.entries(settingSchemas).map(([name, schema]) => [name, infoOf(schema)]),
)

/** The settings of commands that work only on the stored data, such as a migration. */
export const storeSettings: readonly SettingInfo[] = [
  serverSettings.debug,
  ...Object.values(databaseSettings),
  ...Object.values(keySettings),
].map(infoOf)
