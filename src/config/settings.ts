import { z } from 'zod'
import { databaseSettings } from './database-settings.ts'
import { infosOf, integer, type SettingInfo, setting, switchValue } from './setting.ts'

const serverSettings = {
  debug: setting(switchValue.default(true), {
    alias: 'd',
    help: 'Verbose logging',
  }),
  host: setting(z.string().default('localhost'), { help: 'Bind address' }),
  port: setting(integer(0, 65_535).default(8880), {
    alias: 'p',
    help: 'Listening port; 0 takes a free one',
  }),
  workers: setting(
    z
      .union([z.literal('auto'), integer(1, 256)], {
        error: 'must be auto or a whole number between 1 and 256',
      })
      .default(1),
    { help: 'Processes that serve, on PostgreSQL; auto for one for each core' },
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
      isSecret: true,
      default: 'none; generated for embedded',
      help: 'Administrator key, at least 16 characters',
    },
  ),
  encryptionKey: setting(secret(32), {
    env: 'ENCRYPTION_KEY',
    hasFlag: false,
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
    help: 'Largest upload of embeddings in bytes, after decompression; other bodies have 1 MiB at most',
  }),
  trustProxy: setting(switchValue.default(false), {
    help: 'Believe X-Forwarded-Proto, -Host and -For, which a proxy in front sets',
  }),
  publicUrl: setting(publicUrlValue.optional(), {
    help: 'URL at which clients reach the service, such as https://example.org/semblance',
    default: 'that of each request',
    example: '',
  }),
  slowRequest: setting(integer(0, 86_400_000).default(1_000), {
    help: 'Milliseconds above which a request is logged as a warning; 0 for none',
  }),
  rateLimit: setting(integer(0, 1_000_000_000).default(0), {
    help: "Requests a minute with one user's key; 0 for no limit",
  }),
  publicMetrics: setting(switchValue.default(false), {
    help: 'Serve /metrics without the administrator key',
  }),
  mcp: setting(switchValue.default(true), { help: 'Serve /mcp, the tools for agents' }),
}

const searchSettings = {
  embeddingHosts: setting(z.string().default(''), {
    help: 'Hosts that texts may be sent to with the keys of instances, such as api.openai.com,localhost:11434',
    default: 'none',
    example: '',
  }),
  // Comparing this many costs 5 ms of one core on PostgreSQL, and 1 ms in memory.
  exactBudget: setting(integer(0, 1e15 - 1).default(5_000_000), {
    help: 'Vectors × dimensions above which a project is searched approximately',
  }),
  vectorMemory: setting(integer(0, 1_000_000).optional(), {
    help: 'MB of vectors that each process keeps in memory; 0 for none',
    default: 'a quarter of the memory, at least 1024; 1024 with several workers',
    example: '1024',
  }),
  cacheDir: setting(z.string().min(1).optional(), {
    help: 'Folder for files with the vectors in memory, which the next start reads',
    default: 'SERVICE_DATADIR with the embedded database; no such files with PostgreSQL',
    example: './cache',
  }),
  maxIndexes: setting(integer(0, 1_000).default(200), {
    help: 'Largest number of projects with an index; 0 for none',
  }),
  // Longer than the pauses of a client that embeds each batch with a model before it sends it.
  indexDelay: setting(integer(0, 86_400).default(30), {
    help: 'Seconds in which a project must hardly have grown before its index is built',
  }),
  maxScan: setting(integer(0, 1e15 - 1).default(10_000_000_000), {
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
export const settings: Readonly<Record<string, SettingInfo>> = infosOf(settingSchemas)

/** The settings of commands that work only on the stored data, such as a migration. */
export const storeSettings: readonly SettingInfo[] = Object.values(
  infosOf({ debug: serverSettings.debug, ...databaseSettings, ...keySettings }),
)
