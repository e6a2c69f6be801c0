import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import { checkServerIdentity, connect, type TLSSocket } from 'node:tls'
import { errorCode } from '../errors.ts'
import { addressOf, type ConnectionOptions } from './connection-options.ts'

/** TLS has made a connection impossible. The message says which setting would change that. */
export class TlsRefusal extends Error {
  override readonly name = 'TlsRefusal'
  readonly code = 'CONNECTION_TLS'
}

/** SSLRequest: length 8, code 1234.5679. It asks whether this server is willing to speak TLS. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** Returns the socket, or TLS on it once the other side has proved what the options ask for. */
export async function secured(socket: Socket, target: ConnectionOptions): Promise<Socket> {
  const { mode } = target.tls
  if (mode === 'disable') return socket
  const server = `PostgreSQL at ${addressOf(target)}`
  socket.write(sslRequest)
  const answer = await firstBytes(socket)
  // Bytes after the answer were not encrypted, whoever sent them (CVE-2021-23222).
  if (answer === 'S') return handshake(socket, target)
  if (answer !== 'N') {
    const what = 'gave no valid answer to the question for TLS'
    throw new TlsRefusal(`${server} ${what}; check SERVICE_DBHOST and SERVICE_DBPORT`)
  }
  if (mode === 'prefer') return socket
  const remedy = 'turn it on there (ssl = on), or set SERVICE_DBSSLMODE=disable'
  throw new TlsRefusal(`${server} speaks no TLS; ${remedy}`)
}

async function firstBytes(socket: Socket): Promise<string> {
  const [bytes]: Buffer[] = await unlessClosed(socket, 'data')
  return String(bytes)
}

async function handshake(socket: Socket, target: ConnectionOptions): Promise<TLSSocket> {
  const { host, tls } = target
  // As with libpq, a root certificate makes `require` check the signature.
  const verifies = tls.mode.startsWith('verify') || tls.rootCert !== undefined
  let names = ''
  const secure = connect({
    socket,
    ...(isIP(host) === 0 && { servername: host }),
    ...(tls.rootCert !== undefined && { ca: tls.rootCert }),
    rejectUnauthorized: verifies,
    checkServerIdentity: (_, certificate) => {
      names = certificate.subjectaltname ?? `${certificate.subject.CN}`
      return tls.mode === 'verify-full' ? checkServerIdentity(host, certificate) : undefined
    },
  })
  secure.on('error', () => {})
  try {
    await unlessClosed(secure, 'secureConnect')
    return secure
  } catch (error) {
    secure.destroy()
    throw explained(error, target, names)
  }
}

/** @throws the error of the socket, or one that says that it was closed */
async function unlessClosed(socket: Socket, event: string) {
  const over = new AbortController()
  const { signal } = over
  const closed = once(socket, 'close', { signal }).then(() => {
    const error = new Error('the connection was closed before it was ready')
    throw Object.assign(error, { code: 'CONNECTION_CLOSED' })
  })
  try {
    return await Promise.race([once(socket, event, { signal }), closed])
  } finally {
    over.abort()
  }
}

function explained(error: unknown, target: ConnectionOptions, names: string): unknown {
  const code = errorCode(error) ?? ''
  const reason = reasonOf(code, target, names)
  if (reason === undefined) return error
  return new TlsRefusal(`PostgreSQL at ${addressOf(target)} ${reason}`, { cause: error })
}

const unchecked = 'SERVICE_DBSSLMODE=require without SERVICE_DBSSLROOTCERT checks no certificate'

/** Explains what went wrong with TLS and what to change; undefined if it was something else. */
function reasonOf(code: string, { host }: ConnectionOptions, names: string): string | undefined {
  if (code === 'CERT_HAS_EXPIRED') {
    return `has a certificate that has expired; renew it (${unchecked})`
  }
  if (code === 'CERT_NOT_YET_VALID') {
    return `has a certificate that is not valid yet; check the clocks (${unchecked})`
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `has a certificate for ${names}, not for '${host}'; correct SERVICE_DBHOST (SERVICE_DBSSLMODE=verify-ca checks no name)`
  }
  if (/SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)/.test(code)) {
    return 'has a certificate of an authority that is not trusted here; name the file with the certificate of that authority in SERVICE_DBSSLROOTCERT'
  }
  if (/SSL|TLS|CERT|EPROTO/.test(code)) {
    return `and this service found no common way to speak TLS (${code}); see the log of the server, or set SERVICE_DBSSLMODE=disable`
  }
  return undefined
}
