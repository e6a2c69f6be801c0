import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { ConnectionOptions } from './connection-options.ts'
import { secured } from './tls.ts'

export const connectMs = 10_000
const cancelRequestCode = 80_877_102

/**
 * Opens a socket to PostgreSQL, encrypted if the options and the server say so. TLS is done here,
 * so postgres.js's own `ssl` must be false.
 * @param givenUp fires when nobody waits for it any more
 * @throws an error with a code, after `connectMs` at the latest
 */
export async function openSocket(
  target: ConnectionOptions,
  givenUp?: AbortSignal,
): Promise<Socket> {
  const { host, port } = target
  const isLocal = host.startsWith('/')
  const socket = connect(isLocal ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
  // This listener is needed even later: an error without a listener ends the process.
  socket.on('error', () => {})
  const timer = setTimeout(() => {
    const late = new Error(`${host}:${port} did not answer within ${connectMs / 1000} s`)
    socket.destroy(Object.assign(late, { code: 'CONNECT_TIMEOUT' }))
  }, connectMs)
  const giveUp = () => {
    const error = new Error(`the connection to ${host}:${port} was given up`)
    socket.destroy(Object.assign(error, { code: 'CONNECTION_CLOSED' }))
  }
  givenUp?.addEventListener('abort', giveUp)
  try {
    await once(socket, 'connect')
    // Otherwise the end of a COPY waits for a delayed acknowledgement (40 ms on Linux).
    socket.setNoDelay(true)
    return isLocal ? socket : await secured(socket, target)
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
    givenUp?.removeEventListener('abort', giveUp)
  }
}

/**
 * Asks PostgreSQL to end what a backend is doing. It does not learn whether that happened.
 * Source: PostgreSQL "Message Formats", CancelRequest: int32 16, int32 code, int32 pid, int32
 * secret.
 */
export function cancelBackend(
  target: ConnectionOptions,
  { pid, secret }: { readonly pid: number; readonly secret: number },
): void {
  const message = Buffer.alloc(16)
  for (const [index, value] of [16, cancelRequestCode, pid, secret].entries()) {
    message.writeUInt32BE(value, index * 4)
  }
  openSocket(target).then(
    (socket) => {
      socket.on('error', () => {})
      socket.setTimeout(10_000, () => socket.destroy())
      // The server closes the connection.
      socket.resume().end(message)
    },
    () => {},
  )
}
