import { drizzle } from 'drizzle-orm/pg-proxy'
import { unavailable } from '../errors.ts'
import type { Database } from './database.ts'

const refuse = () => Promise.reject(unavailable('There is no database'))

/** Stands in where the app is described but never called. */
export const offlineDatabase: Database = {
  engine: 'embedded',
  db: drizzle(refuse),
  search: drizzle(refuse),
  maintenance: drizzle(refuse),
  transaction: refuse,
  bulk: refuse,
  unhurried: refuse,
  load: () => ({}),
  close: async () => {},
}
