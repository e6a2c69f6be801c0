import { lookup } from 'node:dns/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { bindError } from './address.ts'
import {
  finishMs,
  graceMs,
  type Listening,
  malformedTarget,
  type RunningServer,
  restMs,
  stalledMs,
  urlOf,
} from './listening.ts'

interface BunServer {
  readonly hostname: string
  readonly port: number
  stop(closeActive?: boolean): Promise<void>
  requestIP(request: Request): { readonly address: string } | null
  /** Closes the connection of a request that is not over by then, even if it has been answered. */
  timeout(request: Request, seconds: number): void
}

/** The part of Bun that is used here; Bun's own types would replace Node's everywhere. */
interface BunRuntime {
  serve(options: {
    hostname: string
    port: number
    reusePort: boolean
    fetch: (request: Request, server: BunServer) => Promise<Response>
    maxRequestBodySize: number
    idleTimeout: number
  }): BunServer
}

declare global {
  var Bun: BunRuntime | undefined
}

/** The service limits bodies itself, with an error body; Bun would just cut the connection. */
const maxRequestBodySize = 2 ** 40
/** The largest value that Bun accepts. Its default of 10 s cuts off slow searches. */
const idleTimeout = stalledMs / 1_000

export async function listenOnBun(
  bun: BunRuntime,
  { host, port, sharesPort, fetch }: Listening,
): Promise<RunningServer> {
  // Looked up here, so that the announced address is the one that is bound.
  const { address } = await lookup(host).catch((error) => {
    throw bindError(error, host, port)
  })
  let stopping = false
  const answer = async (request: Request, server: BunServer) => {
    // Bun joins several Host headers with commas, which no host contains.
    const isClear = !request.headers.get('host')?.includes(',')
    const response =
      isClear && URL.canParse(request.url)
        ? await fetch(request, { peer: () => server.requestIP(request)?.address })
        : malformedTarget()
    // Bun drains the rest of the body itself; this limits for how long.
    if (response.status >= 400) server.timeout(request, restMs / 1_000)
    if (stopping) response.headers.set('Connection', 'close')
    return response
  }
  let server: BunServer
  try {
    server = bun.serve({
      hostname: address,
      port,
      reusePort: sharesPort,
      fetch: answer,
      maxRequestBodySize,
      idleTimeout,
    })
  } catch (error) {
    throw bindError(error, address, port)
  }
  return {
    url: urlOf(server.hostname, server.port),
    stop: async () => {
      stopping = true
      // Bun's stop() cuts keep-alive connections whose next request is already on its way.
      await sleep(graceMs)
      await Promise.race([server.stop(), sleep(finishMs, undefined, { ref: false })])
      await server.stop(true)
    },
  }
}
