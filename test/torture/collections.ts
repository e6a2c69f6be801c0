import type postgres from 'postgres'

/**
 * By what the embeddings of a project are found: its collection, of which it gets a new one when all
 * embeddings are deleted, or before there were collections the project itself.
 */
export async function collectionColumn(sql: postgres.Sql): Promise<'collection_id' | 'project_id'> {
  const [found] = await sql`select from information_schema.columns
    where table_schema = 'public' and table_name = 'projects' and column_name = 'collection_id'`
  return found === undefined ? 'project_id' : 'collection_id'
}
