import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { IndexKind } from './pgvector.ts'

/** What distinguishes the partial HNSW indexes of collections. */
export interface IndexForm {
  readonly collectionId: number
  readonly dimensions: number
  readonly kind: IndexKind
}

/** A LIKE pattern for the names of all of them. */
export const namesLike = 'embeddings\\_hnsw\\_%'
/** A regular expression for the names of their indexes on metadata: PostgreSQL calls an operator's `embeddings_metadata_idx`. */
export const metadataNames = '^embeddings_metadata_[0-9]+_[0-9]+$'
const namePattern = /^embeddings_hnsw_(\d+)_(halfvec_l2|bit)_(\d+)$/

/** The name says everything about an index, so the catalog needs no table in addition. */
export const indexName = ({ collectionId, dimensions, kind }: IndexForm) =>
  `embeddings_hnsw_${collectionId}_${kind}_${dimensions}`

/** The index of the given columns; null if there is none. */
const oidOf = (form: Record<keyof IndexForm, SQLWrapper>) =>
  sql`to_regclass(concat_ws('_', 'embeddings_hnsw', ${form.collectionId}, ${form.kind}, ${form.dimensions}))`

/** @returns undefined for the name of another index */
export function formOfName(name: string): IndexForm | undefined {
  const [, collectionId, kind, dimensions] = namePattern.exec(name) ?? []
  if (kind !== 'halfvec_l2' && kind !== 'bit') return undefined
  return { collectionId: Number(collectionId), kind, dimensions: Number(dimensions) }
}

export const commentOn = (oid: SQLWrapper) => sql<string | null>`(
  select description from pg_description
  where objoid = ${oid} and classoid = 'pg_class'::regclass and objsubid = 0)`

/** The comment on the index that a collection is searched by, from the collection's own row. */
export const indexComment = (form: Record<keyof IndexForm, SQLWrapper>): SQL<string | null> =>
  sql<string | null>`case when ${form.kind} is not null then ${commentOn(oidOf(form))} end`
