import type { Cluster } from './cluster.ts'
import type { Tally } from './tally.ts'

/** Rows that belong to nothing, whatever the constraints say. */
export const orphanQueries: Readonly<Record<string, string>> = {
  'embeddings without collection': `select collection_id, text_id from embeddings e where not exists
    (select from collections c where c.collection_id = e.collection_id)`,
  'collections with another number of embeddings': `select collection_id from collections c
    join projects p using (collection_id) where c.vectors <>
    (select count(*) from embeddings e where e.collection_id = c.collection_id)`,
  'embeddings that do not fit the instance': `select e.collection_id, text_id from embeddings e
    join projects p using (collection_id) join instances i using (instance_id)
    where e.vector_dim <> i.dimensions or vector_dims(e.vector) <> e.vector_dim`,
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
  'instance shares of no instance or user': `select * from instance_shares s where not exists
    (select from users u where u.user_id = s.user_id) or not exists
    (select from instances i where i.instance_id = s.instance_id)`,
}

/** Looks with a plain scan: an index that is broken could hide a row. */
export async function findOrphans(cluster: Cluster, database: string, tally: Tally): Promise<void> {
  const sql = cluster.connect(database)
  try {
    await sql.unsafe('set enable_indexscan = off; set enable_bitmapscan = off')
    for (const [what, query] of Object.entries(orphanQueries)) {
      for (const row of await sql.unsafe(query)) {
        tally.violate('orphans', `${what}: ${JSON.stringify(row)}`)
      }
    }
  } finally {
    await sql.end({ timeout: 1 })
  }
}
