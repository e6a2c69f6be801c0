import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { cancelled, forbidden, ServiceError } from '../errors.ts'
import { type AllowedHosts, hostNameOf } from './allowed-hosts.ts'

interface Post {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** The limit on the size of the answer. */
  readonly maxBytes: number
  readonly timeoutMs: number
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

export interface Reply {
  readonly status: number
  /** Seconds to wait before the next request, if the provider specifies them. */
  readonly retryAfter: number | undefined
  readonly body: Buffer
}

/** Thrown if no answer, or only part of one, arrived. */
export class NoReply extends ServiceError {
  /** Whether a retry may help. */
  readonly isPassing: boolean

  constructor(kind: 'bad-gateway' | 'gateway-timeout', detail: string, cause: unknown) {
    super(kind, detail, { cause })
    this.isPassing = kind === 'bad-gateway'
  }
}

type Resolve = (name: string) => Promise<LookupAddress[]>
const resolveName: Resolve = (name) => lookup(name, { all: true })

/** Limits per host: sockets in use, idle sockets kept, and their timeout in milliseconds. */
const connections = { keepAlive: true, maxSockets: 16, maxFreeSockets: 4, timeout: 60_000 }
/** The limit for error answers, which contain a message and no vectors. */
const maxRefusalBytes = 64 * 1024

/**
 * Sends requests to allowed hosts only. A name is resolved once, and the connection goes to the
 * resolved address. Redirects are not followed.
 * @param resolve resolves a name to addresses
 * @returns a function that throws 403 if the host is not allowed, NoReply, or an error if nobody
 * waits any more
 */
export function createPost(allowed: AllowedHosts, resolve: Resolve = resolveName) {
  const agents = {
    'http:': new Agent(connections),
    'https:': new TlsAgent(connections),
  }
  /** Called for each new connection. Only here is decided which address it may use. */
  const lookUp =
    (url: URL): LookupFunction =>
    (name, { all }, callback) => {
      resolveAllowed(allowed, resolve, url, name).then(
        (addresses) => {
          const [first = { address: '', family: 4 }] = addresses
          if (all) callback(null, addresses)
          else callback(null, first.address, first.family)
        },
        (error) => callback(error, []),
      )
    }

  return async function post({ url, headers, body, maxBytes, timeoutMs, signal }: Post) {
    requireAllowed(allowed, url)
    const name = hostNameOf(url)
    const timeout = AbortSignal.timeout(timeoutMs)
    const options: RequestOptions = {
      method: 'POST',
      hostname: name,
      path: url.pathname + url.search,
      ...(url.port !== '' && { port: url.port }),
      headers: { ...headers, 'Content-Length': `${body.length}` },
      lookup: lookUp(url),
      signal: AbortSignal.any([signal, timeout]),
    }
    let answer: IncomingMessage | undefined
    try {
      answer = await exchange(url.protocol === 'https:', options, agents, body)
      const reply = await readReply(answer, maxBytes)
      signal.throwIfAborted()
      return reply
    } catch (error) {
      if (signal.aborted) throw cancelled()
      if (error instanceof ServiceError) throw error
      if (timeout.aborted) {
        const seconds = Math.round(timeoutMs / 1000)
        const detail = `The embedding provider did not answer within ${seconds} s`
        throw new NoReply('gateway-timeout', detail, error)
      }
      const what = answer ? "'s answer could not be read" : ' could not be reached'
      const detail = `The embedding provider${what}${codeOf(error)}`
      throw new NoReply('bad-gateway', detail, error)
    }
  }
}

/** @throws 403 if the host is not allowed, as far as this is known before a look-up */
export function requireAllowed(allowed: AllowedHosts, url: URL): void {
  const name = hostNameOf(url)
  if (!allowed.includes(url)) throw notAllowed(url)
  // An IP address is not looked up, so it is checked here.
  if (isIP(name) !== 0 && !allowed.mayBe(url, name)) throw notAllowed(url)
}

/** Resolves a name to the addresses that are allowed. */
async function resolveAllowed(
  allowed: AllowedHosts,
  resolve: Resolve,
  url: URL,
  name: string,
): Promise<LookupAddress[]> {
  const addresses = await resolve(name)
  const usable = addresses.filter(({ address }) => allowed.mayBe(url, address))
  if (usable.length === 0) throw notAllowed(url)
  return usable
}

/**
 * The message omits the host and only the log has it: a project's readers must not see its
 * endpoint.
 */
const notAllowed = ({ host }: URL) =>
  forbidden(
    'The host of the embedding provider is not among those that this server may ask, which its operator names in SERVICE_EMBEDDINGHOSTS',
    { host },
  )

function exchange(
  isTls: boolean,
  options: RequestOptions,
  agents: { readonly 'http:': Agent; readonly 'https:': TlsAgent },
  body: Buffer,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = isTls
      ? tlsRequest({ ...options, agent: agents['https:'] }, resolve)
      : request({ ...options, agent: agents['http:'] }, resolve)
    outgoing.on('error', reject)
    // A connection can close without an error, for example after 101 Switching Protocols.
    outgoing.on('close', () => reject(new Error('the connection was closed')))
    outgoing.end(body)
  })
}

async function readReply(answer: IncomingMessage, maxBytes: number): Promise<Reply> {
  const chunks: Buffer[] = []
  const { statusCode: status = 0 } = answer
  const limit = status >= 300 ? Math.min(maxRefusalBytes, maxBytes) : maxBytes
  let size = 0
  try {
    for await (const chunk of decompressed(answer)) {
      size += chunk.length
      if (size > limit) {
        answer.destroy()
        const detail = `The embedding provider answered ${status} with more than the ${limit} bytes that it can need`
        throw new ServiceError('bad-gateway', detail)
      }
      chunks.push(chunk)
    }
  } catch (error) {
    // The status of a refusal counts even if its body cannot be read: some providers declare gzip
    // but send none.
    if (status < 300 || error instanceof ServiceError) throw error
  }
  return {
    status,
    retryAfter: secondsUntil(answer.headers['retry-after']),
    body: Buffer.concat(chunks, size),
  }
}

/**
 * Some providers compress without being asked. Errors surface where the result is read, which also
 * limits its size.
 */
function decompressed(answer: IncomingMessage): Readable {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === 'br') return pipeline(answer, createBrotliDecompress(), () => {})
  const isZlib = encoding !== undefined && ['gzip', 'x-gzip', 'deflate'].includes(encoding)
  return isZlib ? pipeline(answer, createUnzip(), () => {}) : answer
}

/** @param retryAfter seconds or a date */
function secondsUntil(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined
  const given = Number(retryAfter)
  const seconds = Number.isNaN(given) ? (Date.parse(retryAfter) - Date.now()) / 1000 : given
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

/**
 * The error's code, such as ECONNREFUSED. The error's message is left out because it contains
 * addresses.
 */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z_]{3,60}$/.test(code) ? ` (${code})` : ''
}
