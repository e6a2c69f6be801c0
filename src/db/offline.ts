import { drizzle } from 'drizzle-orm/pg-proxy'
import { unavailable } from '../errors.ts'
import type { Database } from './database.ts'

const refuse = () => Promise.reject(unavailable('There is no database'))
const pool = { db: drizzle(refuse), transaction: refuse, session: refuse }

/** Stands in if the app is described but never called. */
export const offlineDatabase: Database = {
  engine: 'embedded',
  isDistributed: false,
  history: () => 0,
  snapshot: refuse,
  copyFiles: undefined,
  remembering: (read) => read,
  short: pool,
  search: pool,
  bulk: pool,
  maintenance: pool,
  onBehalfOf: (_, work) => work(),
  requester: () => undefined,
  load: () => ({}),
  close: async () => {},
}
