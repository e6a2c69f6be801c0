import { AsyncResource } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { count, eq, sql } from 'drizzle-orm'
import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../../db/database.ts'
import { collections, projects, users } from '../../db/schema.ts'

/** All scrapers together cost the database one statement in this time. */
const keptMs = 10_000
/** The other figures are wanted most when the database does not answer. */
const patienceMs = 2_000

const gauges = {
  semblance_users: ['Users.', 'users'],
  semblance_projects: ['Projects.', 'projects'],
  semblance_embeddings: ['Embeddings of all projects.', 'embeddings'],
  semblance_database_bytes: [
    'Bytes of the database, its indexes included, its write-ahead log not.',
    'bytes',
  ],
} as const satisfies Record<string, readonly [help: string, figure: keyof Stored]>

type Stored = Awaited<ReturnType<typeof readStored>>

/** Figures of what is stored; absent while the database does not tell them in time. */
export function watchStored(database: Database, registers: Registry[]): void {
  // Others wait for the figures too when the scraper that asked first has left: not on its behalf.
  const unasked = new AsyncResource('stored figures')
  const read = () => readStored(database).catch(() => undefined)
  let latest: { readonly at: number; readonly stored: Promise<Stored | undefined> } | undefined
  function recent(): Promise<Stored | undefined> {
    const now = performance.now()
    if (latest === undefined || now - latest.at > keptMs) {
      latest = { at: now, stored: unasked.runInAsyncScope(read) }
    }
    return Promise.race([latest.stored, sleep(patienceMs, undefined, { ref: false })])
  }
  for (const [name, [help, figure]] of Object.entries(gauges)) {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const stored = await recent()
        if (stored === undefined) this.remove()
        else this.set(stored[figure])
      },
    })
  }
}

/** From what is recorded of each collection: the embeddings themselves are not read. */
export async function readStored({ short: { db } }: Database) {
  const embeddings = db
    .select({ sum: sql`coalesce(sum(${collections.vectors}), 0)` })
    .from(collections)
    .innerJoin(projects, eq(projects.collectionId, collections.collectionId))
  const [stored] = await db
    .select({
      // `_system` has no key.
      users: count(users.keyHash),
      projects: sql`(${db.select({ count: count() }).from(projects)})`.mapWith(Number),
      embeddings: sql`(${embeddings})`.mapWith(Number),
      bytes: sql`pg_database_size(current_database())`.mapWith(Number),
    })
    .from(users)
  return stored ?? { users: 0, projects: 0, embeddings: 0, bytes: 0 }
}
