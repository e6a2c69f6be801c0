import { sql } from 'drizzle-orm'
import { StartupError } from '../errors.ts'
import { oneRow } from './columns.ts'
import type { Database } from './database.ts'
import { errorCode } from './errors.ts'

/** Turns a database error into a refusal to start; other errors are returned as they are. */
export async function explainStartFailure(database: Database, error: unknown): Promise<unknown> {
  const code = errorCode(error)
  if (code === undefined) return error
  const advice = await adviceOn(code, database)
  const message = `the database could not be brought up to date: ${rootMessage(error)}`
  return new StartupError(advice === undefined ? message : `${message}; ${advice}`)
}

async function adviceOn(code: string, database: Database): Promise<string | undefined> {
  if (code === '42501') return missingRights(database)
  // There is a table or type of that name already.
  if (code === '42P07' || code === '42710') {
    return 'SERVICE_DBNAME seems to be used by another program; give the service a database of its own'
  }
  return undefined
}

/** The rights that an owner has to grant to SERVICE_DBUSER. */
async function missingRights({ maintenance: { db } }: Database): Promise<string> {
  const [rights] = await db
    .select({
      user: sql<string>`quote_ident(current_user)`,
      database: sql<string>`quote_ident(current_database())`,
      inSchema: sql<boolean | null>`has_schema_privilege(to_regnamespace('public'), 'create')
        and has_schema_privilege(to_regnamespace('public'), 'usage')`,
      inDatabase: sql<boolean>`has_database_privilege(current_database(), 'create')`,
    })
    .from(oneRow)
  const grants = []
  if (rights?.inDatabase === false) {
    grants.push(`GRANT CREATE ON DATABASE ${rights.database} TO ${rights.user}`)
  }
  if (rights?.inSchema === false) {
    grants.push(`GRANT USAGE, CREATE ON SCHEMA public TO ${rights.user}`)
  }
  return grants.length === 0
    ? 'SERVICE_DBUSER must own the tables in SERVICE_DBNAME that are to be changed'
    : `run "${grants.join('; ')}" in SERVICE_DBNAME as its owner`
}

/** PostgreSQL's own message, below Drizzle's wrapper, which holds the whole statement. */
export function rootMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : rootMessage(error.cause)
}
