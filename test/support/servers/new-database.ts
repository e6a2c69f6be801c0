import postgres from 'postgres'
import { inject } from 'vitest'
import type { ConnectionOptions } from '../../../src/db/postgres/connection-options.ts'
import { copyTemplate } from './citus.ts'
import { isOnCitus } from './postgres-place.ts'

/** A database on the server of this run; on Citus with tables, and embeddings distributed. @returns what drops it */
export async function createDatabase(
  server: ConnectionOptions,
  name: string,
): Promise<() => Promise<void>> {
  if (isOnCitus()) return copyTemplate(server, inject('citusTemplate'), name)
  const sql = postgres({ ...server, max: 1, onnotice: () => {} })
  await sql.unsafe(`create database "${name}"`)
  return async () => {
    await sql.unsafe(`drop database "${name}" with (force)`)
    await sql.end()
  }
}
