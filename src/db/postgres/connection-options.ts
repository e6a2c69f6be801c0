import type { TlsMode } from '../../config/database-settings.ts'

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
