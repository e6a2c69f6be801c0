import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import type { Database } from './postgres.ts'
import type { Tally } from './tally.ts'

/** In which what was deleted has to be gone for good. */
const cleanedAfterMs = 30_000
const pollMs = 100

/**
 * Rows of nothing, whatever the constraints say. What is read of embeddings is read first: they may be on
 * the workers of a Citus cluster, which joins nothing from there with tables of the coordinator.
 */
const orphanQueries = {
  'embeddings that do not fit the instance': `with e as materialized
    (select collection_id, text_id, vector_dim, vector_dims(vector) as length from embeddings)
    select e.collection_id, text_id from e join projects p on p.collection_id = e.collection_id join instances i using (instance_id)
    where e.vector_dim <> i.dimensions or length <> e.vector_dim`,
  'projects without owner': `select project_id from projects p where not exists
    (select from users u where u.user_id = p.owner_id)`,
  'projects without the instance they name': `select project_id from projects p
    where instance_id is not null and not exists
    (select from instances i where i.instance_id = p.instance_id)`,
  'instances without owner': `select instance_id from instances i where not exists
    (select from users u where u.user_id = i.owner_id)`,
  'shares of no project or user': `select * from project_shares s where not exists
    (select from users u where u.user_id = s.user_id) or not exists
    (select from projects p where p.project_id = s.project_id)`,
  'shares with the owner': `select s.* from project_shares s join projects p using (project_id)
    where s.user_id = p.owner_id`,
  'keys of no user': `select key_id from user_keys k where not exists
    (select from users u where u.user_id = k.user_id)`,
  'limits of no key or project': `select * from key_projects l where not exists
    (select from user_keys k where k.key_id = l.key_id) or not exists
    (select from projects p where p.project_id = l.project_id)`,
  'instance shares of no instance or user': `select * from instance_shares s where not exists
    (select from users u where u.user_id = s.user_id) or not exists
    (select from instances i where i.instance_id = s.instance_id)`,
}

/** What a deletion may leave behind for a while, because it is cleaned up in the background. */
const leftovers = `with e as materialized
  (select collection_id, count(*)::int as rows from embeddings group by collection_id)
  select * from e where not exists (select from projects p where p.collection_id = e.collection_id)`

/** Looks with plain scans, but on the workers of Citus: an index that is broken could hide a row. */
export async function findOrphans(database: Database, tally: Tally): Promise<void> {
  const sql = database.connect()
  try {
    await sql.unsafe('set enable_indexscan = off; set enable_bitmapscan = off')
    for (const [what, query] of Object.entries(orphanQueries)) {
      report(what, await sql.unsafe(query), tally)
    }
    const what = `embeddings without project, after ${cleanedAfterMs / 1_000} s`
    report(what, await left(sql, leftovers), tally)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

function report(what: string, rows: readonly postgres.Row[], tally: Tally): void {
  for (const row of rows) tally.violate('orphans', `${what}: ${JSON.stringify(row)}`)
}

/** @returns what is not gone after a while */
async function left(sql: postgres.Sql, query: string): Promise<readonly postgres.Row[]> {
  for (const deadline = Date.now() + cleanedAfterMs; ; await sleep(pollMs)) {
    const rows = await sql.unsafe(query)
    if (rows.length === 0 || Date.now() > deadline) return rows
  }
}
