import type { TlsMode } from '../../config/database-settings.ts'

export interface TlsOptions {
  readonly mode: TlsMode
  /** PEM certificates of the authorities to trust instead of those that the runtime knows. */
  readonly rootCert?: string
}

export interface ConnectionOptions {
  /** A name, an address, or the folder of a Unix socket when it begins with `/`. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  readonly tls: TlsOptions
}

/** By which connections of the service are known in `pg_stat_activity`. */
export const applicationName = 'semblance'

/** Where a message says that something is. */
export const addressOf = ({ host, port }: ConnectionOptions) => `${host}:${port}`
