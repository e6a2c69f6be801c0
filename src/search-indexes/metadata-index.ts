import { and, exists, type SQL, sql } from 'drizzle-orm'
import { pgIndex } from '../db/catalog.ts'
import { oneRow } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { type IndexInCatalog, indexesNamed } from './catalog.ts'

/** What an index on the metadata of one project covers: the embeddings that its search index covers. */
export interface MetadataIndexForm {
  readonly collectionId: number
  readonly dimensions: number
}

export interface MetadataIndexInCatalog
  extends MetadataIndexForm,
    Pick<IndexInCatalog, 'name' | 'state'> {}

/** As with search indexes, a name says all that there is to know. */
export const metadataIndexName = ({ collectionId, dimensions }: MetadataIndexForm) =>
  `embeddings_metadata_${collectionId}_${dimensions}`
const namePattern = /^embeddings_metadata_(\d+)_(\d+)$/

/**
 * The embeddings of one project. Written so that no other index has the condition: searches disable
 * bitmap scans, and the planner would rather read the whole project by the primary key.
 */
export const coveredByMetadataIndex = ({ collectionId, dimensions }: MetadataIndexForm): SQL =>
  sql.join(
    [
      sql`${embeddings.collectionId} + 0 = ${sql.raw(`${collectionId}`)}`,
      sql`${embeddings.vectorDim} = ${sql.raw(`${dimensions}`)}`,
    ],
    sql` and `,
  )

/** Whether there is one for searches to use: without it the same condition would read the whole table. */
export const hasMetadataIndex = (db: Db, form: MetadataIndexForm): SQL<boolean> => {
  const name = sql.raw(`'${metadataIndexName(form)}'`)
  const usable = db
    .select({ one: sql`1` })
    .from(pgIndex)
    .where(and(sql`${pgIndex.indexOid} = to_regclass(${name})`, pgIndex.isValid))
  return sql<boolean>`(select ${exists(usable)})`
}

/** All of them. */
export async function listMetadataIndexes(db: Db): Promise<MetadataIndexInCatalog[]> {
  const indexes = await indexesNamed(db, 'embeddings\\_metadata\\_%')
  return indexes.flatMap(({ name, state }) => {
    const [, collectionId, dimensions] = namePattern.exec(name) ?? []
    if (collectionId === undefined) return []
    return [{ collectionId: Number(collectionId), dimensions: Number(dimensions), name, state }]
  })
}

/**
 * Builds one, beside reads and writes. Without `fastupdate` a search need not look through
 * what was added since.
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
