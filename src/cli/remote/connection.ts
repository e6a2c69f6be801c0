import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient, type SemblanceClient } from '../../client/client.ts'
import { syncFile, writeDurably } from '../../durable-files.ts'
import { isObject } from '../../embeddings/metadata.ts'
import { StartupError } from '../../errors.ts'
import type { GivenFlags } from '../flags.ts'
import { UsageError } from '../usage-error.ts'

interface Login {
  readonly url: string
  readonly key: string
}

export interface RemoteConnection {
  readonly client: SemblanceClient
  readonly url: string
  readonly key: string | undefined
  /** Where the key comes from, in words. */
  readonly source: string
}

/** Who waits at a terminal soon wants to know that there is no server. */
const retries = 2
const defaultUrl = 'http://localhost:8880'

export const loginFile = (env: NodeJS.ProcessEnv): string =>
  join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'semblance/login.json')

/** Flags first, then the environment, then the login file. */
export function connect({ values }: GivenFlags, env: NodeJS.ProcessEnv): RemoteConnection {
  const given = values['url'] ?? (env['SEMBLANCE_URL'] || undefined)
  const typed = givenKey(values)
  const key = typed ?? (env['SEMBLANCE_KEY'] ? checkedKey(env['SEMBLANCE_KEY']) : undefined)
  const login = given === undefined || key === undefined ? readLogin(env) : undefined
  const url = checkedUrl(given ?? login?.url ?? defaultUrl)
  if (key !== undefined) return connection(url, key, typed ? 'the command line' : 'SEMBLANCE_KEY')
  // The key of one server is not for another.
  if (login === undefined || checkedUrl(login.url) !== url)
    return connection(url, undefined, 'none')
  return connection(url, login.key, loginFile(env))
}

/** Where to log in, whatever was kept before. */
export const urlToLogIn = ({ values }: GivenFlags, env: NodeJS.ProcessEnv): string =>
  checkedUrl((values['url'] ?? env['SEMBLANCE_URL']) || defaultUrl)

const connection = (url: string, key: string | undefined, source: string): RemoteConnection => ({
  client: createClient({ url, key, retries }),
  url,
  key,
  source,
})

function checkedUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new UsageError('--url (or SEMBLANCE_URL) must be the http or https URL of a server')
  }
  const { origin, pathname, username, password } = new URL(url)
  if (username !== '' || password !== '' || /[?#]/.test(url)) {
    throw new UsageError('the URL of the server must be without user, password, ? and #')
  }
  return (origin + pathname).replace(/\/$/, '')
}

/** @throws UsageError for what cannot be sent in a header */
export function checkedKey(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new UsageError('the key must be one word of ASCII characters')
}

/** By flag: itself, or the file that holds it. */
export function givenKey(values: GivenFlags['values']): string | undefined {
  const file = values['key-file']
  const key = values['key'] ?? (file === undefined ? undefined : readFileSync(file, 'utf8').trim())
  return key === undefined ? undefined : checkedKey(key)
}

function readLogin(env: NodeJS.ProcessEnv): Login | undefined {
  const file = loginFile(env)
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    throw new StartupError(`${file} can be read by others; chmod 600 ${file}, and change the key`)
  }
  const { url, key } = parsedObject(readFileSync(file, 'utf8')) ?? {}
  if (typeof url === 'string' && typeof key === 'string') return { url, key }
  throw new StartupError(`${file} is broken; make it anew with semblance login`)
}

/** @returns where it is kept, for the user alone */
export function writeLogin(env: NodeJS.ProcessEnv, { url, key }: Login): string {
  const file = loginFile(env)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  chmodSync(dirname(file), 0o700)
  writeDurably(file, `${JSON.stringify({ url, key }, null, 2)}\n`)
  return file
}

/** A file that only its owner reads, also where there was one before. */
export function writePrivate(file: string, text: string): void {
  writeFileSync(file, '', { mode: 0o600 })
  const isFile = statSync(file).isFile()
  if (isFile) chmodSync(file, 0o600)
  writeFileSync(file, text)
  // In its place: that its folder can be written is not known.
  if (isFile) syncFile(file)
}

/** @param name `handle` of the caller's own, or `owner/handle` */
export async function namedProject(
  { client, key }: RemoteConnection,
  name: string,
): Promise<{ user: string; project: string }> {
  const [first = '', second, ...more] = name.split('/')
  const isNone = [first, second].some((part) => part === '' || part === '.' || part === '..')
  if (isNone || more.length > 0) {
    throw new UsageError(`'${name}' is no project: handle, or owner/handle`)
  }
  if (second !== undefined) return { user: first, project: second }
  const whole = new UsageError(`whose project is '${name}'? name it as owner/${name}`)
  if (key === undefined) throw whole
  const { data } = await client.GET('/v1/me', { params: { query: { limit: 1 } } })
  if (data.user_handle === undefined) throw whole
  return { user: data.user_handle, project: first }
}

function parsedObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The value of a flag that is JSON. */
export function jsonFlag(
  { values }: GivenFlags,
  name: string,
): Record<string, unknown> | undefined {
  const text = values[name]
  if (text === undefined) return undefined
  const value = parsedObject(text)
  if (value !== undefined) return value
  throw new UsageError(`--${name} must be a JSON object, such as '{"ref.book": "Luke"}'`)
}

export function numberFlag({ values }: GivenFlags, name: string, otherwise: number): number {
  const number = Number(values[name] ?? otherwise)
  if (Number.isFinite(number)) return number
  throw new UsageError(`--${name} must be a number`)
}
