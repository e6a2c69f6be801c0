import { and, eq, exists, type SQL, sql } from 'drizzle-orm'
import { pgClass, pgIndex, pgIndexBuilds } from '../../db/catalog.ts'
import type { Db } from '../../db/database.ts'
import { formOfName, type IndexForm, indexName, ownNames } from '../../db/index-name.ts'
import { indexColumn } from '../../db/pgvector.ts'
import { embeddings } from '../../db/schema.ts'

/** An index of a project, as it is in the database. */
export interface FoundIndex extends IndexForm {
  /** An index is broken if its build or its removal was interrupted. */
  readonly state: 'valid' | 'building' | 'broken'
}

export async function listIndexes(db: Db): Promise<FoundIndex[]> {
  const build = db.select().from(pgIndexBuilds).where(eq(pgIndexBuilds.indexOid, pgIndex.indexOid))
  const rows = await db
    .select({
      name: pgClass.name,
      state: sql<
        FoundIndex['state']
      >`case when ${and(pgIndex.isValid, pgIndex.isReady)} then 'valid'
        when ${exists(build)} then 'building' else 'broken' end`,
    })
    .from(pgIndex)
    .innerJoin(pgClass, eq(pgClass.oid, pgIndex.indexOid))
    .where(
      and(eq(pgIndex.tableOid, sql`'embeddings'::regclass`), sql`${pgClass.name} ~ ${ownNames}`),
    )
  return rows.flatMap(({ name, state }) => {
    const form = formOfName(name)
    return form === undefined ? [] : [{ ...form, state }]
  })
}

/**
 * Builds an index without blocking reads or writes.
 * @param processes `many` for as many PostgreSQL processes as its settings allow
 * @throws the error of the database; a broken index is then left behind
 */
export async function buildIndex(
  db: Db,
  form: IndexForm,
  vectors: number,
  processes: 'many' | 'one',
): Promise<void> {
  const memory = `${megabytesToBuild(vectors, form)}MB`
  const helpers = 'max_parallel_maintenance_workers'
  await db.execute(sql`select set_config('maintenance_work_mem', ${memory}, false)`)
  await db.execute(sql.raw(processes === 'one' ? `set ${helpers} = 0` : `reset ${helpers}`))
  // Otherwise vectors stored out of line do not count: 10,000 × 3,072 look like 3 MB.
  await db.execute(sql`set min_parallel_table_scan_size = 0`)
  await db.execute(sql`create index concurrently if not exists ${sql.identifier(indexName(form))}
    on embeddings using ${contentOf(form)}`)
}

/** `fastupdate` is off so that a search need not look through recently added rows. */
function contentOf({ kind, ...form }: IndexForm): SQL {
  const { collectionId, dimensions } = form
  if (kind === 'metadata') {
    return sql`gin (metadata jsonb_path_ops) with (fastupdate = off)
      where collection_id + 0 = ${literal(collectionId)} and vector_dim = ${literal(dimensions)}`
  }
  return sql`hnsw (${indexColumn(sql`vector`, { kind, dimensions })})
    where collection_id = ${literal(collectionId)} and vector_dim = ${literal(dimensions)}`
}

export const literal = (value: number) => sql.raw(`${value}`)

const megabyte = 2 ** 20

/**
 * Memory for the graph and its vectors, at most 1 GB. If they do not fit, builds are ten times
 * slower.
 */
function megabytesToBuild(vectors: number, { dimensions, kind }: IndexForm): number {
  const bytes = kind === 'metadata' ? 0 : vectors * (2 * dimensions + 800) * 1.2
  return Math.round(Math.min(Math.max(bytes / megabyte, 64), 1_024))
}

/** Does nothing if the index does not exist. */
export async function dropIndex(db: Db, form: IndexForm): Promise<void> {
  await db.execute(sql`drop index concurrently if exists ${sql.identifier(indexName(form))}`)
}

type MetadataForm = Omit<IndexForm, 'kind'>

/**
 * Selects what a metadata index covers. `+ 0` makes the condition unlike that of any other index:
 * searches disable bitmap scans, and the planner would otherwise prefer to read the whole project
 * by the primary key.
 */
export const coveredByMetadataIndex = ({ collectionId, dimensions }: MetadataForm): SQL =>
  sql`${embeddings.collectionId} + 0 = ${literal(collectionId)}
    and ${embeddings.vectorDim} = ${literal(dimensions)}`

/** Whether a usable index exists. Without one, the same condition would read the whole table. */
export const hasMetadataIndex = (db: Db, form: MetadataForm): SQL<boolean> => {
  const name = sql.raw(`'${indexName({ ...form, kind: 'metadata' })}'`)
  const usable = db
    .select({ one: sql`1` })
    .from(pgIndex)
    .where(and(sql`${pgIndex.indexOid} = to_regclass(${name})`, pgIndex.isValid))
  return sql<boolean>`(select ${exists(usable)})`
}
