import type { ConnectionOptions } from './connection-options.ts'
import { openSocket } from './socket.ts'

const cancelRequestCode = 80_877_102

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
