import { filterSql } from './data.ts'
import type { SqlJob } from './jobs.ts'

/*
 * The same work as the service's by the best SQL that we know, without the service. Settings of the
 * session: compiling costs more than it saves here, and a sequential scan would be the quicker one only
 * as long as a table holds a single project.
 */
const session = ['set jit = off', 'set enable_seqscan = off']

/** So many are ranked by their float32 vectors: what half precision mixes up lies close together. */
const candidates = 20

export interface Target {
  readonly database: string
  readonly collectionId: number
  readonly vectors: number
  readonly dimensions: number
}

export type Mode = 'exact' | 'approximate'

export type Queries = { readonly ids: readonly string[] } | { readonly vectors: readonly string[] }

/**
 * Searches by ids (which reads the vectors first, as the service must) or by vectors as text.
 * @param efSearch how hard the index is searched; undefined for an exact search
 */
export function bareSearch(
  target: Target,
  queries: Queries,
  efSearch: number | undefined,
  filtered = false,
): SqlJob {
  const { database, collectionId } = target
  const filter = filtered ? filterSql : ''
  const job = {
    kind: 'sql' as const,
    database,
    session: efSearch === undefined ? session : [...session, ...searchingIndex(efSearch)],
    query: efSearch === undefined ? exactly(target, filter) : approximately(target, filter),
  }
  if ('vectors' in queries) {
    return { ...job, parameters: queries.vectors.map((vector) => [vector, '']) }
  }
  return {
    ...job,
    source: `select vector::text from embeddings where collection_id = ${collectionId} and text_id = $1`,
    parameters: queries.ids.map((id) => [id]),
  }
}

const searchingIndex = (efSearch: number) => [
  `set hnsw.ef_search = ${efSearch}`,
  'set hnsw.iterative_scan = relaxed_order',
]

const exactly = ({ collectionId, dimensions }: Target, filter: string) =>
  `select text_id, 1 - least(vector <=> $1, 1) as similarity from embeddings
  where collection_id = ${collectionId} and vector_dim = ${dimensions} and text_id <> $2 ${filter}
  order by least(vector <=> $1, 1), text_id limit 10`

function approximately(target: Target, filter: string): string {
  const { collectionId, dimensions } = target
  return `with candidates as materialized (
    select text_id, least(vector <=> $1, 1) as distance from embeddings
    where collection_id = ${collectionId} and vector_dim = ${dimensions} and text_id <> $2 ${filter}
    order by (l2_normalize(vector)::halfvec(${dimensions})) <-> l2_normalize($1::vector)::halfvec(${dimensions})
    limit ${candidates}
  ) select text_id, 1 - distance as similarity from candidates order by distance, text_id limit 10`
}

/** A page of embeddings as the list answers it. */
export const bareList = ({ database, collectionId }: Target, limit: number): SqlJob => ({
  kind: 'sql',
  database,
  session,
  query: `select text_id, vector::text, vector_dim, metadata, text, created_at from embeddings
    where collection_id = ${collectionId} order by text_id limit ${limit}`,
  parameters: [[]],
})

export const bareGet = (
  { database, collectionId }: Target,
  parameters: readonly [string][],
): SqlJob => ({
  kind: 'sql',
  database,
  session,
  query: `select text_id, vector::text, vector_dim, metadata, text, created_at from embeddings
    where collection_id = ${collectionId} and text_id = $1`,
  parameters,
})
