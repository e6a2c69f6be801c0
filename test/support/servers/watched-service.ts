import postgres from 'postgres'
import { onTestFinished } from 'vitest'
import { adminKey } from '../app.ts'
import { createClient } from '../client.ts'
import { startOwnService } from './own-service.ts'

/**
 * A service of the test's own on PostgreSQL, and another session of its database, which holds locks
 * and sees who waits for them.
 */
export async function startWatchedService() {
  const service = await startOwnService()
  const { place } = service
  if (place === undefined) throw new Error('only with PostgreSQL')
  const other = postgres({ ...place, max: 2, onnotice: () => {} })
  onTestFinished(async () => {
    await other.end({ timeout: 1 })
    await service.close()
  })
  const client = createClient(service)
  const call = (method: string, path: string, key: string, body?: object) =>
    client(method, path, { key, body })
  /** @returns the user's key */
  const newUser = async (handle: string): Promise<string> =>
    (await call('PUT', `/v1/users/${handle}`, adminKey, {})).body.api_key
  /** How many sessions wait for a lock. */
  const waiting = async () => {
    const [row] = await other`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return row?.['n']
  }
  return { ...service, call, newUser, other, waiting }
}
