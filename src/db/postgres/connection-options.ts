import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { TlsMode } from '../../config/database-settings.ts'
import { StartupError } from '../../errors.ts'
import { errorCode } from '../errors.ts'

export interface TlsOptions {
  readonly mode: TlsMode
  /** PEM certificates of the authorities to trust instead of those that the runtime knows. */
  readonly rootCert?: string
}

export interface ConnectionOptions {
  /** A name, an address, or the folder of a Unix socket if it begins with `/`. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  readonly tls: TlsOptions
}

/** The name of the service's connections in `pg_stat_activity`. */
export const applicationName = 'semblance'

/** The server's address, as messages name it. */
export const addressOf = ({ host, port }: ConnectionOptions) => `${host}:${port}`

/**
 * The certificates of a PEM file.
 * @throws StartupError if there are none, or one cannot be read
 */
export function readRootCert(path: string): string {
  const wanted = 'SERVICE_DBSSLROOTCERT must name a file of PEM certificates'
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartupError(`${wanted}; ${path} cannot be read (${errorCode(error)})`)
  }
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw new StartupError(`${wanted}; there is none in ${path}`)
  if (!blocks.every(isCertificate)) {
    throw new StartupError(`${wanted}; one in ${path} cannot be read`)
  }
  return blocks.join('\n')
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined
  } catch {
    return false
  }
}
