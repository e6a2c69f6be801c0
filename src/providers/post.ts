import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { cancelled } from '../concurrency/limiter.ts'
import { forbidden, ServiceError } from '../errors.ts'
import { type AllowedHosts, hostNameOf } from './allowed-hosts.ts'

interface Post {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** More of an answer is not read. */
  readonly maxBytes: number
  readonly timeoutMs: number
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

export interface Reply {
  readonly status: number
  /** Seconds, where the provider says when to ask again. */
  readonly retryAfter: number | undefined
  readonly body: Buffer
}

/** An answer that did not come, or not as a whole. */
export class NoReply extends ServiceError {
  /** Whether another try may help. */
  readonly isPassing: boolean

  constructor(kind: 'bad-gateway' | 'gateway-timeout', detail: string, cause: unknown) {
    super(kind, detail, { cause })
    this.isPassing = kind === 'bad-gateway'
  }
}

type Resolve = (name: string) => Promise<LookupAddress[]>
const resolveName: Resolve = (name) => lookup(name, { all: true })

/** Of each host, in use and kept for the next request, and how long in milliseconds. */
const connections = { keepAlive: true, maxSockets: 16, maxFreeSockets: 4, timeout: 60_000 }
/** Of what is no success, which holds words and no vectors. */
const maxRefusalBytes = 64 * 1024

/**
 * Sends to hosts that are allowed, and to no others: a name is resolved once, and connected to as it was
 * resolved; there is no other host that an answer could lead to.
 * @param resolve what a name stands for
 * @returns what throws 403 for a host that is not allowed, NoReply, or that nobody waits any more
 */
export function createPost(allowed: AllowedHosts, resolve: Resolve = resolveName) {
  const agents = {
    'http:': new Agent(connections),
    'https:': new TlsAgent(connections),
  }
  /** For each new connection: what it is to be is decided here, and nowhere behind. */
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
      ...{ method: 'POST', hostname: name, path: url.pathname + url.search },
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

/** @throws 403 for a host that is not allowed, as far as that is known before it is looked up */
export function requireAllowed(allowed: AllowedHosts, url: URL): void {
  const name = hostNameOf(url)
  if (!allowed.includes(url)) throw notAllowed(url)
  // Of an address nothing is looked up.
  if (isIP(name) !== 0 && !allowed.mayBe(url, name)) throw notAllowed(url)
}

/** What a name stands for, as far as it may be connected to. */
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

/** The host is for the operator alone: a project's readers do not see its endpoint. */
const notAllowed = ({ host }: URL) =>
  forbidden(
    "The host of the project's embedding provider is not among those that this server may ask, which its operator names in SERVICE_EMBEDDINGHOSTS",
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
    // Also without an error, as after 101 Switching Protocols.
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
    // The status of a refusal counts, also where its words cannot be read: some say gzip of nothing at all.
    if (status < 300 || error instanceof ServiceError) throw error
  }
  return {
    status,
    retryAfter: secondsUntil(answer.headers['retry-after']),
    body: Buffer.concat(chunks, size),
  }
}

/** Some compress without being asked. What fails is thrown where the result is read, which bounds it. */
function decompressed(answer: IncomingMessage): Readable {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === 'br') return pipeline(answer, createBrotliDecompress(), () => {})
  const isZlib = encoding !== undefined && ['gzip', 'x-gzip', 'deflate'].includes(encoding)
  return isZlib ? pipeline(answer, createUnzip(), () => {}) : answer
}

/** @param retryAfter in seconds, or a date */
function secondsUntil(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined
  const given = Number(retryAfter)
  const seconds = Number.isNaN(given) ? (Date.parse(retryAfter) - Date.now()) / 1000 : given
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

/** Such as ECONNREFUSED or ENOTFOUND; not the message, which has addresses. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z_]{3,60}$/.test(code) ? ` (${code})` : ''
}
