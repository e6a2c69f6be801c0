import type { TlsMode } from '../../config/database-settings.ts'

export interface TlsSettings {
  readonly mode: TlsMode
  /** PEM certificates of the authorities to trust instead of those that the runtime knows. */
  readonly rootCert?: string
}

export interface PostgresSettings {
  /** A name, an address, or the folder of a Unix socket when it begins with `/`. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  readonly tls: TlsSettings
}

/** Where a message says that something is. */
export const addressOf = ({ host, port }: PostgresSettings) => `${host}:${port}`
