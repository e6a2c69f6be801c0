import { and, eq, exists, like, type SQL, sql } from 'drizzle-orm'
import { pgClass, pgIndex, pgIndexBuilds } from '../../db/catalog.ts'
import type { Db } from '../../db/database.ts'
import { commentOn, formOfName, type IndexForm, indexName, namesLike } from '../../db/index-name.ts'
import { indexColumn, maxHalfvecDimensions } from '../../db/pgvector.ts'
import type { CollectionSize } from './policy.ts'
import { type RecallCurve, toComment } from './recall/recall-curve.ts'

export interface IndexInCatalog extends IndexForm {
  readonly name: string
  /** An index is broken if its build or its removal was interrupted. */
  readonly state: 'valid' | 'building' | 'broken'
  /** The measured recall, as `toComment` writes it. */
  readonly comment: string | null
}

/** Lists and builds the indexes of projects. */
export interface IndexCatalog {
  list(db: Db): Promise<IndexInCatalog[]>
  /**
   * Builds the index of a collection without blocking reads or writes.
   * @param processes `many` for as many PostgreSQL processes as its settings allow
   * @throws the error of the database; a broken index is then left behind
   */
  build(db: Db, size: CollectionSize, processes: 'many' | 'one'): Promise<void>
}

/** For embeddings in one table. */
export const oneTable: IndexCatalog = { list: listIndexes, build: buildIndex }

const megabyte = 2 ** 20

export const formFor = ({ collectionId, dimensions }: CollectionSize): IndexForm => ({
  collectionId,
  dimensions,
  kind: dimensions > maxHalfvecDimensions ? 'bit' : 'halfvec_l2',
})

/**
 * Stores the recall as a comment on the index, which disappears with it. Does not block searches.
 */
export async function keepRecall(db: Db, form: IndexForm, curve: RecallCurve): Promise<void> {
  // The comment is JSON of numbers, which needs no escapes; COMMENT takes no parameters.
  const comment = sql.raw(`'${toComment(curve)}'`)
  await db.execute(sql`comment on index ${sql.identifier(indexName(form))} is ${comment}`)
}

/** The indexes in their present state. */
export async function listIndexes(db: Db): Promise<IndexInCatalog[]> {
  const rows = await indexesNamed(db, like(pgClass.name, namesLike))
  return rows.flatMap((index) => {
    const form = formOfName(index.name)
    return form === undefined ? [] : [{ ...form, ...index }]
  })
}

/** @param isMeant a condition on the name */
export async function indexesNamed(db: Db, isMeant: SQL) {
  const build = db.select().from(pgIndexBuilds).where(eq(pgIndexBuilds.indexOid, pgIndex.indexOid))
  const rows = await db
    .select({
      name: pgClass.name,
      valid: sql<boolean>`${and(pgIndex.isValid, pgIndex.isReady)}`,
      building: sql<boolean>`${exists(build)}`,
      comment: commentOn(pgIndex.indexOid),
    })
    .from(pgIndex)
    .innerJoin(pgClass, eq(pgClass.oid, pgIndex.indexOid))
    .where(and(eq(pgIndex.tableOid, sql`'embeddings'::regclass`), isMeant))
  return rows.map(({ valid, building, ...index }) => ({
    ...index,
    state: stateOf({ valid, building }),
  }))
}

export function stateOf(found: {
  readonly valid: boolean
  readonly building: boolean
}): IndexInCatalog['state'] {
  if (found.valid) return 'valid'
  return found.building ? 'building' : 'broken'
}

async function buildIndex(db: Db, size: CollectionSize, processes: 'many' | 'one'): Promise<void> {
  await setResources(db, size, processes)
  await db.execute(createIndex(formFor(size)))
}

/** Sets the resources for builds on this connection. */
export async function setResources(
  db: Db,
  size: CollectionSize,
  processes: 'many' | 'one',
): Promise<void> {
  const memory = `${megabytesToBuild(size)}MB`
  const helpers = 'max_parallel_maintenance_workers'
  await db.execute(sql`select set_config('maintenance_work_mem', ${memory}, false)`)
  await db.execute(sql.raw(processes === 'one' ? `set ${helpers} = 0` : `reset ${helpers}`))
  // Otherwise vectors stored out of line do not count: 10,000 × 3,072 look like 3 MB.
  await db.execute(sql`set min_parallel_table_scan_size = 0`)
}

/** @param suffix appended to the names of the table and of the index, for a shard */
export const createIndex = (form: IndexForm, suffix = ''): SQL =>
  sql`create index concurrently if not exists ${sql.identifier(indexName(form) + suffix)}
    on embeddings${sql.raw(suffix)} using hnsw (${indexColumn(sql`vector`, form)})
    where collection_id = ${sql.raw(`${form.collectionId}`)} and vector_dim = ${sql.raw(`${form.dimensions}`)}`

/**
 * Memory for the graph and its vectors, at most 1 GB. If they do not fit, builds are ten times
 * slower.
 */
export function megabytesToBuild({ vectors, dimensions }: CollectionSize): number {
  const bytes = vectors * (2 * dimensions + 800) * 1.2
  return Math.round(Math.min(Math.max(bytes / megabyte, 64), 1_024))
}

/** Does nothing if the index does not exist. */
export async function dropIndex(db: Db, name: string): Promise<void> {
  await db.execute(sql`drop index concurrently if exists ${sql.identifier(name)}`)
}
