import { once } from 'node:events'
import { createServer } from 'node:net'
import { StartupError } from '../errors.ts'

/**
 * Checks that the address can be bound before the start changes anything.
 * @returns the port that was bound
 * @throws StartupError
 */
export async function checkAddress(host: string, port: number): Promise<number> {
  const server = createServer().listen(port, host)
  await once(server, 'listening').catch((error) => {
    throw bindError(error, host, port)
  })
  const bound = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof bound === 'object' && bound !== null ? bound.port : port
}

/** Says why an address could not be bound, and which setting to change. */
export function bindError(error: unknown, host: string, port: number): StartupError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return new StartupError(
        `port ${port} on ${host} is in use; choose another with SERVICE_PORT or --port`,
      )
    case 'EACCES':
      return new StartupError(
        `port ${port} may not be bound by this user; choose one above 1023 with SERVICE_PORT`,
      )
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EADDRNOTAVAIL':
      return new StartupError(`${host} is no address of this machine; check SERVICE_HOST`)
    default:
      return new StartupError(
        `cannot listen on ${host}:${port} (${code ?? 'no reason given'}); check SERVICE_HOST and SERVICE_PORT`,
      )
  }
}
