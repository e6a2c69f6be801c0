import type { ServerBindings } from '../http/env.ts'
import { problemBody, problemMediaType } from '../http/problem.ts'

/** A listening HTTP server, on whichever runtime this is. */
export interface RunningServer {
  /** The address that was really bound, as a URL: `localhost` may mean only one of two addresses. */
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

/** After SIGTERM requests that still arrive are answered for this long … */
export const graceMs = 1_000
/** … and those in flight may take this long more. */
export const finishMs = 4_000

/**
 * A body that was answered before its end is read away for so long, for clients that send before
 * they read; then the connection is closed.
 */
export const restMs = 60_000

/** A client that takes nothing of its answer for so long is given up: the answer is kept in memory. */
export const stalledMs = 255_000

export const urlOf = (address: string, port: number) =>
  `http://${address.includes(':') ? `[${address}]` : address}:${port}`

/** The answer where a request names no URL that can be understood. */
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
