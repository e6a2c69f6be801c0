import type { ServerBindings } from '../http/env.ts'
import { problemBody, problemMediaType } from '../http/problem.ts'

/** A listening HTTP server, on either runtime. */
export interface RunningServer {
  /** The address that was really bound, as a URL: `localhost` may stand for two addresses. */
  readonly url: string
  /** Stops taking connections, lets requests in flight finish for a few seconds, then closes. */
  stop(): Promise<void>
}

export interface Listening {
  readonly host: string
  readonly port: number
  /** Whether other processes listen there too. */
  readonly sharesPort: boolean
  readonly fetch: (request: Request, connection: ServerBindings) => Response | Promise<Response>
}

/** After SIGTERM, requests that still arrive are answered for this long. */
export const graceMs = 1_000
/** After that, requests in flight may take this much longer. */
export const finishMs = 4_000

/**
 * If a body is answered before its end, the rest is drained for this long, for clients that send
 * before they read. Then the connection is closed.
 */
export const restMs = 60_000

/** A client that takes nothing for this long is cut off: its answer is kept in memory. */
export const stalledMs = 255_000

export const urlOf = (address: string, port: number) =>
  `http://${address.includes(':') ? `[${address}]` : address}:${port}`

/** The answer to a request without a URL that can be understood. */
export const malformedTarget = () =>
  new Response(
    problemBody(
      400,
      'The Host header or the URL is missing or malformed, or there are several Host headers',
    ),
    {
      status: 400,
      headers: { 'Content-Type': problemMediaType },
    },
  )
