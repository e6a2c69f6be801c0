import { and, eq, exists, like, type SQL, sql } from 'drizzle-orm'
import { pgClass, pgIndex, pgIndexBuilds } from '../db/catalog.ts'
import { oneRow } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import type { IndexInCatalog } from './catalog.ts'

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

/** All of them as they are at this moment. */
export async function listMetadataIndexes(db: Db): Promise<MetadataIndexInCatalog[]> {
  const build = db.select().from(pgIndexBuilds).where(eq(pgIndexBuilds.indexOid, pgIndex.indexOid))
  const rows = await db
    .select({
      name: pgClass.name,
      valid: sql<boolean>`${and(pgIndex.isValid, pgIndex.isReady)}`,
      building: sql<boolean>`${exists(build)}`,
    })
    .from(pgIndex)
    .innerJoin(pgClass, eq(pgClass.oid, pgIndex.indexOid))
    .where(
      and(
        eq(pgIndex.tableOid, sql`'embeddings'::regclass`),
        like(pgClass.name, 'embeddings\\_metadata\\_%'),
      ),
    )
  return rows.flatMap(({ name, valid, building }) => {
    const [, collectionId, dimensions] = namePattern.exec(name) ?? []
    if (collectionId === undefined) return []
    const unusable = building ? 'building' : 'broken'
    const form = { collectionId: Number(collectionId), dimensions: Number(dimensions) }
    return [{ ...form, name, state: valid ? 'valid' : unusable }]
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
