import { and, exists, type SQL, sql } from 'drizzle-orm'
import { pgIndex } from '../../db/catalog.ts'
import { oneRow } from '../../db/columns.ts'
import type { Db } from '../../db/database.ts'
import { embeddings } from '../../db/schema.ts'

/**
 * Identifies the metadata index of one project. It covers the same embeddings as the search index.
 */
export interface MetadataIndexForm {
  readonly collectionId: number
  readonly dimensions: number
}

export const metadataIndexName = ({ collectionId, dimensions }: MetadataIndexForm) =>
  `embeddings_metadata_${collectionId}_${dimensions}`

/**
 * Selects the embeddings of one project. `+ 0` makes the condition unlike that of any other index:
 * searches disable bitmap scans, and the planner would otherwise prefer to read the whole project
 * by the primary key.
 */
export const coveredByMetadataIndex = ({ collectionId, dimensions }: MetadataIndexForm): SQL =>
  sql.join(
    [
      sql`${embeddings.collectionId} + 0 = ${sql.raw(`${collectionId}`)}`,
      sql`${embeddings.vectorDim} = ${sql.raw(`${dimensions}`)}`,
    ],
    sql` and `,
  )

/** Whether a usable index exists. Without one, the same condition would read the whole table. */
export const hasMetadataIndex = (db: Db, form: MetadataIndexForm): SQL<boolean> => {
  const name = sql.raw(`'${metadataIndexName(form)}'`)
  const usable = db
    .select({ one: sql`1` })
    .from(pgIndex)
    .where(and(sql`${pgIndex.indexOid} = to_regclass(${name})`, pgIndex.isValid))
  return sql<boolean>`(select ${exists(usable)})`
}

/**
 * Builds an index without blocking reads or writes. `fastupdate` is off so that a search need not
 * look through recently added rows.
 */
export async function buildMetadataIndex(db: Db, form: MetadataIndexForm): Promise<void> {
  const covered = sql`collection_id + 0 = ${sql.raw(`${form.collectionId}`)}
    and vector_dim = ${sql.raw(`${form.dimensions}`)}`
  await db.select({ set: sql`set_config('maintenance_work_mem', '64MB', false)` }).from(oneRow)
  await db.execute(
    sql`create index concurrently if not exists
      ${sql.identifier(metadataIndexName(form))}
      on embeddings using gin (metadata jsonb_path_ops) with (fastupdate = off)
      where ${covered}`,
  )
}
