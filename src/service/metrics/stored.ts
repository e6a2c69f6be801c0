import { count, eq, sql } from 'drizzle-orm'
import type { Registry } from 'prom-client'
import type { Database } from '../../db/database.ts'
import { collections, projects, users } from '../../db/schema.ts'
import { type MetricTable, readSeldom, watch } from './watch.ts'

const keptMs = 10_000

const stored: MetricTable<Awaited<ReturnType<typeof readStored>>> = {
  semblance_users: ['Users.', ({ users }) => users],
  semblance_projects: ['Projects.', ({ projects }) => projects],
  semblance_embeddings: ['Embeddings of all projects.', ({ embeddings }) => embeddings],
  semblance_database_bytes: [
    'Bytes of the database, its indexes included, its write-ahead log not.',
    ({ bytes }) => bytes,
  ],
}

/** Metrics of stored data; absent while the database does not answer in time. */
export const watchStored = (database: Database, registers: Registry[]) =>
  watch(
    registers,
    stored,
    readSeldom(() => readStored(database), keptMs),
  )

/** Sums up the recorded size of each collection, without reading the embeddings. */
async function readStored({ short: { db } }: Database) {
  const embeddings = db
    .select({ sum: sql`coalesce(sum(${collections.vectors}), 0)` })
    .from(collections)
    .innerJoin(projects, eq(projects.collectionId, collections.collectionId))
  const [stored] = await db
    .select({
      // `_system` has no key and is not counted.
      users: count(users.keyHash),
      projects: sql`(${db.select({ count: count() }).from(projects)})`.mapWith(Number),
      embeddings: sql`(${embeddings})`.mapWith(Number),
      bytes: sql`pg_database_size(current_database())`.mapWith(Number),
    })
    .from(users)
  return stored ?? { users: 0, projects: 0, embeddings: 0, bytes: 0 }
}
