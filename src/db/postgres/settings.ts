/** Where PostgreSQL is, and who asks. */
export interface PostgresSettings {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
}
