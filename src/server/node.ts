import { once } from 'node:events'
import {
  createServer,
  IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { Server as TcpServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { createTurns } from '../concurrency/yielding.ts'
import { nodeBody } from '../http/body/node-body.ts'
import { problemBody, problemMediaType } from '../http/problem.ts'
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

/** The most bytes of a body that are drained after its answer. */
const restBytes = 512 * 1024 * 1024

/** A connection refused before its request was read is closed after this time at the latest. */
const lingerMs = 2_000

const timeouts = {
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  // Bodies must keep a pace instead: the largest may take longer than any fixed time.
  requestTimeout: 0,
  // Longer than a proxy keeps its own idle connections (nginx 60 s): one that sends to a connection which is
  // being closed answers 502.
  keepAliveTimeout: 75_000,
}

/**
 * In one of several processes, the primary process binds the address and gives each of them a
 * connection in turn.
 * @param givenUpMs another value for tests of what happens after it
 */
export async function listenOnNode(
  { host, port, fetch }: Omit<Listening, 'sharesPort'>,
  givenUpMs = stalledMs,
): Promise<RunningServer> {
  const turn = createTurns()
  const listener = getRequestListener(
    (request, { incoming }) => {
      if (hasSeveralHosts(incoming.rawHeaders)) return malformedTarget()
      return fetch(request, {
        peer: () => incoming.socket.remoteAddress,
        ...(incoming instanceof IncomingMessage && { body: () => nodeBody(incoming, turn) }),
      })
    },
    {
      // This is called if what arrived could not become a request.
      errorHandler: malformedTarget,
      // This would close the connection half a second after an early answer.
      autoCleanupIncoming: false,
    },
  )
  const server = createServer({ requireHostHeader: false, ...timeouts }, listener)
  const open = new Set<ServerResponse>()
  answerUnparsable(server, open)
  server.on('request', (request, response) => {
    open.add(response)
    response.once('close', () => open.delete(response))
    response.once('finish', () => boundRest(request))
    // The connection may also be silent because a handler has nothing to send yet.
    response.setTimeout(givenUpMs, () => {
      if (response.writableLength > 0) request.socket.destroy()
    })
  })
  server.listen(port, host)
  await once(server, 'listening').catch((error) => {
    throw bindError(error, host, port)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP')
  return { url: urlOf(address.address, address.port), stop: () => stop(server, open) }
}

/**
 * Node keeps the first Host header, but a proxy in front may use the last.
 * @param raw names and values in turn
 */
const hasSeveralHosts = (raw: readonly string[]) =>
  raw.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1

/** Limits how much of a request Node drains after its answer; Node itself has no limit. */
function boundRest(request: IncomingMessage): void {
  if (request.complete) return
  const { socket } = request
  const until = performance.now() + restMs
  const most = socket.bytesRead + restBytes
  const timer = setInterval(() => {
    const isOver = request.complete || socket.destroyed
    if (isOver) clearInterval(timer)
    else if (performance.now() > until || socket.bytesRead > most) socket.destroy()
  }, 1_000)
}

/**
 * Node itself would answer these requests without a body. These answers have the usual error body,
 * except to HEAD.
 * @param open the answers that are not finished yet
 */
function answerUnparsable(server: Server, open: ReadonlySet<ServerResponse>): void {
  const answer = (socket: Duplex, isHead: boolean, status: number, detail: string) => {
    const pending = [...open].find((response) => response.socket === socket)
    // If an answer is being sent, another one would end up in the middle of it.
    if (!socket.writable || pending?.headersSent) socket.destroy()
    else refuse(socket, pending === undefined ? isHead : isOfHead(pending.req), status, detail)
  }
  server.on('checkExpectation', (request) => {
    answer(request.socket, isOfHead(request), 417, 'Only "Expect: 100-continue" is understood')
  })
  server.on('connect', (_, socket) => {
    // Node no longer handles this socket, so an error without a listener would end the process.
    socket.on('error', () => {})
    refuse(socket, false, 405, 'This is no proxy')
  })
  server.on('clientError', (error: ParseError, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy()
    else answer(socket, beginsWithHead(error), ...parseFailure(error.code))
  })
}

const isOfHead = ({ method }: IncomingMessage) => method === 'HEAD'

interface ParseError extends NodeJS.ErrnoException {
  /** The last packet; absent if nothing arrived in time. */
  readonly rawPacket?: Buffer
  /** How many bytes of it were parsed. */
  readonly bytesParsed?: number
}

/** A guess: the first line of a long head may have come before the last packet. */
function beginsWithHead({ rawPacket, bytesParsed }: ParseError): boolean {
  const understood = rawPacket?.toString('latin1', 0, bytesParsed) ?? ''
  const before = understood.lastIndexOf('\r\n\r\n')
  return understood.startsWith('HEAD ', before === -1 ? 0 : before + 4)
}

function refuse(socket: Duplex, isHead: boolean, status: number, detail: string): void {
  const body = problemBody(status, detail)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${problemMediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${isHead ? '' : body}`)
  // Node waits for the client to close the connection too, which it may never do.
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

function parseFailure(code: string | undefined): [status: number, detail: string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [431, 'The URL and headers are larger than the limit of 16 KiB']
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, 'The request did not arrive in time']
    default:
      return [400, 'The request is not valid HTTP']
  }
}

/** @param open the answers that are not finished yet */
async function stop(server: Server, open: ReadonlySet<ServerResponse>): Promise<void> {
  const closed = once(server, 'close')
  // http's own close() resets keep-alive connections whose next request is already on its way.
  TcpServer.prototype.close.call(server)
  for (const response of open) closeAfter(response)
  server.prependListener('request', (_, response) => closeAfter(response))
  await sleep(graceMs)
  server.closeIdleConnections()
  await Promise.race([closed, sleep(finishMs, undefined, { ref: false })])
  server.closeAllConnections()
}

function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close')
}
