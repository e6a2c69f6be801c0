import { Agent, type IncomingHttpHeaders, request as send } from 'node:http'
import type { Tally } from './tally.ts'

export const linesType = 'application/x-ndjson'

const patienceMs = 60_000
/** Servers close idle connections after a while; a request must not meet that. */
const idleMs = 2_000

/** An answer, or with status 0 that there was none, and why. */
export interface Outcome {
  readonly status: number
  readonly body: unknown
  readonly reason: string
  readonly headers: IncomingHttpHeaders
  /** Whether the request went over a connection that had been used before. */
  readonly reused: boolean
  readonly startedAt: number
}

export interface Request {
  readonly key?: string
  /** An object is sent as JSON. */
  readonly body?: object | string | undefined
  readonly contentType?: string | undefined
}

export const succeeded = ({ status }: Outcome) => status >= 200 && status < 300
/** Nobody listened: nothing was sent. */
export const wasUnsent = ({ reason }: Outcome) => reason === 'ECONNREFUSED'
/** Whether a change may have been made or not. */
export const isUnknown = (outcome: Outcome) =>
  outcome.status === 503 || (outcome.status === 0 && !wasUnsent(outcome))
/** Whether something was answered that says no, for good. */
export const wasRefused = (outcome: Outcome) =>
  !succeeded(outcome) && !isUnknown(outcome) && !wasUnsent(outcome)

/** Sends requests one after another over a connection of its own, and counts the answers. */
export class HttpClient {
  readonly #url: string
  readonly #tally: Tally
  readonly #agent: Agent

  constructor(url: string, tally: Tally, keepAlive = true) {
    this.#url = url
    this.#tally = tally
    this.#agent = new Agent({ keepAlive, timeout: idleMs })
  }

  async call(method: string, path: string, request: Request = {}): Promise<Outcome> {
    const outcome = await this.#exchange(method, path, request)
    this.#tally.answered(outcome.status === 0 ? outcome.reason : `${outcome.status}`)
    if (outcome.status >= 500 && outcome.status !== 503) {
      const text = JSON.stringify(outcome.body)
      this.#tally.violate('other violations', `${method} ${path}: ${outcome.status} ${text}`)
    }
    return outcome
  }

  /** @throws when it is refused */
  async expect(method: string, path: string, request: Request = {}): Promise<Outcome> {
    const outcome = await this.call(method, path, request)
    if (succeeded(outcome)) return outcome
    const { status, reason, body } = outcome
    throw new Error(`${method} ${path}: ${status} ${reason} ${JSON.stringify(body)}`)
  }

  #exchange(method: string, path: string, { key, body: sent, contentType }: Request) {
    const body = typeof sent === 'object' ? JSON.stringify(sent) : sent
    const startedAt = performance.now()
    return new Promise<Outcome>((resolve) => {
      const request = send(this.#url + path, {
        method,
        agent: this.#agent,
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(contentType !== undefined && { 'content-type': contentType }),
          ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
        },
        timeout: patienceMs,
      })
      let headers: IncomingHttpHeaders = {}
      const settle = (status: number, body: unknown, reason: string) =>
        resolve({ status, body, reason, headers, reused: request.reusedSocket, startedAt })
      request.on('timeout', () => request.destroy(new Error('no answer in time')))
      request.on('error', (error) => settle(0, undefined, reasonOf(error)))
      request.on('response', (response) => {
        headers = response.headers
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        const isLines = headers['content-type'] === linesType
        const text = () => Buffer.concat(chunks).toString()
        response.on('error', () => settle(0, isLines ? valuesIn(text()) : undefined, 'cut answer'))
        response.on('end', () => {
          const answer = isLines ? valuesIn(text()) : parsed(text())
          if (answer === undefined) settle(0, undefined, 'not JSON')
          else settle(response.statusCode ?? 0, answer, '')
        })
      })
      request.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

const reasonOf = (error: Error & { code?: string }) => error.code ?? error.message

/** Of whole lines alone. */
const valuesIn = (text: string) => text.split('\n').slice(0, -1).map(parsed)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
