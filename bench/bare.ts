import { type Effort, effortsFor } from '../src/search-indexes/effort.ts'
import { filterSql } from './data.ts'
import type { SqlJob } from './jobs.ts'

/*
 * The same work as the service's by the best SQL that we know, without the service. Settings of the
 * session: compiling costs more than it saves here, and a sequential scan would be the quicker one only
 * as long as a table holds a single project.
 */
const session = ['set jit = off', 'set enable_seqscan = off']

/** How hard the index is searched: as hard as the service would. */
function effortFor({ collectionId, vectors, dimensions }: Target): Effort {
  const [first] = effortsFor({ collectionId, vectors, dimensions, kind: 'halfvec_l2' })
  if (first === undefined) throw new Error('the service has no effort for this size')
  return first
}

export interface Target {
  readonly database: string
  readonly collectionId: number
  readonly vectors: number
  readonly dimensions: number
}

export type Mode = 'exact' | 'approximate'

/** Searches by ids (which reads the vectors first, as the service must) or by vectors as text. */
export function bareSearch(
  target: Target,
  mode: Mode,
  queries: { readonly ids: readonly string[] } | { readonly vectors: readonly string[] },
  filtered = false,
): SqlJob {
  const { database, collectionId } = target
  const filter = filtered ? filterSql : ''
  const job = {
    kind: 'sql' as const,
    database,
    session: mode === 'exact' ? session : [...session, ...searchingIndex(effortFor(target))],
    query: mode === 'exact' ? exactly(target, filter) : approximately(target, filter),
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

const searchingIndex = ({ efSearch }: Effort) => [
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
    limit ${effortFor(target).candidates}
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
