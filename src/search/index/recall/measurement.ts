import { and, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Db } from '../../../db/database.ts'
import type { IndexForm } from '../../../db/index-name.ts'
import { indexDistance, subvector, withParameters } from '../../../db/pgvector.ts'
import { embeddings } from '../../../db/schema.ts'
import { plansByKey } from '../../../db/session-settings.ts'
import { isWithin } from '../../ranking.ts'

/**
 * A query halfway between two stored vectors. The graph links a stored vector to its nearest, so
 * that a search for the stored vector itself finds more than a search for a new one does.
 */
export interface Probe {
  readonly id: string
  readonly towards: string
}

/**
 * The second vector is the nearest of this many sampled ones, which makes the probe as hard to
 * search for as a held-out vector (bench/measured/search-indexes.md).
 */
const others = 7

/** The text_id of a stored vector and its cosine distance. */
export type NeighbourDistance = readonly [textId: string, distance: number]

/** Recall@10 is measured. */
export const neighbours = 10

const byDistance = ([, a]: NeighbourDistance, [, b]: NeighbourDistance) => a - b

/** The ten nearest of one probe, as far as they are known. */
export class NearestNeighbours {
  #known: readonly NeighbourDistance[] = []

  add(found: readonly NeighbourDistance[]): void {
    const all = new Map([...this.#known, ...found])
    this.#known = [...all].sort(byDistance).slice(0, neighbours)
  }

  /** A vector nearer than this belongs to the ten. */
  get furthest(): number {
    return this.#known[neighbours - 1]?.[1] ?? Number.POSITIVE_INFINITY
  }

  /** How many of the ten a search finds if it ranks its candidates by their distance. */
  foundIn(candidates: readonly NeighbourDistance[]): number {
    const ranked = candidates.toSorted(byDistance).slice(0, neighbours)
    return ranked.filter(([, distance]) => isWithin(distance, this.furthest)).length
  }
}

/** The settings of search sessions, so that the plans are the same; without parallel workers. */
export const measuringSettings = {
  ...plansByKey,
  max_parallel_workers_per_gather: '0',
  // The sampled vectors stay in memory: 300 of 16,000 dimensions are 19 MB.
  work_mem: '64MB',
}

/**
 * Text_ids in the order of their hashes, which is unrelated to the vectors. This reads all keys,
 * which costs little compared with comparing all vectors with the sampled ones.
 */
export async function sampleIds(
  db: Db,
  index: Pick<IndexForm, 'collectionId' | 'dimensions'>,
  size: number,
): Promise<string[]> {
  const rows = await db
    .select({ textId: embeddings.textId })
    .from(embeddings)
    .where(inCollection(index))
    .orderBy(sql`hashtextextended(${embeddings.textId}, 0)`)
    .limit(size)
  return rows.map(({ textId }) => textId)
}

/** Pairs each sampled vector with another one that is not too far from it. */
export async function probesFor(
  db: Db,
  index: IndexForm,
  ids: readonly string[],
): Promise<Probe[]> {
  const sampled = sql`
    select id, place, ${vectorOf(index, sql`ids.id`)} as vector
    from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) with ordinality as ids(id, place)`
  const nearest = sql`
    select sampled.id from sampled
    where sampled.id <> own.id and (sampled.place - own.place + ${ids.length}::int) % ${ids.length}::int <= ${others}
    order by ${cosineBetween(sql`sampled.vector`, sql`own.vector`)} limit 1`
  const pairs = sql`(
    with sampled as materialized (${sampled})
    select own.id, coalesce((${nearest}), own.id) as towards from sampled as own) as pairs`
  return db.select({ id: sql<string>`id`, towards: sql<string>`towards` }).from(pairs)
}

/**
 * The same as drizzle-orm's `cosineDistance`, whose second vector must be a value or a query: as a
 * subquery, it would be evaluated for every pair.
 */
const cosineBetween = (one: SQLWrapper, other: SQLWrapper) => sql`${one} <=> ${other}`

/** What the index finds for some probes, with float32 distances. */
export async function searchIndex(
  db: Db,
  index: IndexForm,
  probes: readonly Probe[],
  efSearch: number,
  candidates: number,
): Promise<[id: string, found: NeighbourDistance[]][]> {
  const parameters = { 'hnsw.ef_search': efSearch, 'hnsw.iterative_scan': 'relaxed_order' }
  const sought = sql`(
    select id, ${soughtBy(index)} as vector
    from jsonb_to_recordset(${JSON.stringify(probes)}::jsonb) as probes(id text, towards text)
    offset 0) as sought`
  const near = sql`(
    select ${embeddings.textId} as id, ${cosineBetween(embeddings.vector, sql`sought.vector`)} as distance
    from ${embeddings}
    where ${inIndex(index)} and ${embeddings.textId} <> sought.id
    order by ${indexDistance(embeddings.vector, (indexed) => indexed(sql`sought.vector`), index)}
    limit ${sql.raw(`${candidates}`)}) as near`
  const rows = await db
    .select({
      id: sql<string>`sought.id`,
      found: sql`(select json_agg(json_build_array(near.id, near.distance)) from ${near})`.mapWith(
        neighboursIn,
      ),
    })
    .from(sought)
    .where(and(withParameters(parameters), sql`sought.vector is not null`))
  return rows.map(({ id, found }) => [id, found ?? []])
}

const neighboursIn = (json: string): NeighbourDistance[] => JSON.parse(json)

/** Limits the memory that many vectors at the same distance can take. */
const maxRows = 10_000

/**
 * Compares the vectors of a range of text_ids with all probes, reading each vector only once. A
 * window or a LIMIT for each probe would have to sort all vectors, while only a few are nearer than
 * those that the index has found.
 * @param upTo undefined for all the rest
 * @returns false if there may be more that are nearer than the known ones
 */
export async function compareRange(
  db: Db,
  index: IndexForm,
  probes: readonly Probe[],
  sample: ReadonlyMap<string, NearestNeighbours>,
  after: string,
  upTo: string | undefined,
): Promise<boolean> {
  const bounded = probes.map((probe) => {
    const furthest = sample.get(probe.id)?.furthest
    return { ...probe, furthest: Number.isFinite(furthest) ? furthest : 'infinity' }
  })
  const sought = sql`
    select id, furthest, ${soughtBy(index)} as vector
    from jsonb_to_recordset(${JSON.stringify(bounded)}::jsonb)
      as probes(id text, towards text, furthest float8)`
  const range = upTo === undefined ? sql`true` : sql`${embeddings.textId} <= ${upTo}`
  const piece = sql`
    select ${embeddings.textId} as id, ${copyOf(sql`${embeddings.vector}`, index)} as vector
    from ${embeddings}
    where ${inIndex(index)} and ${embeddings.textId} > ${after} and ${range} offset 0`
  const distance = cosineBetween(sql`piece.vector`, sql`sought.vector`)
  const near = sql`
    select sought.id, ${distance} as distance from sought
    where (${distance}) < sought.furthest and sought.id <> piece.id offset 0`
  const nearer = sql`(
    with sought as materialized (${sought})
    select near.id, piece.id as text_id, near.distance
    from (${piece}) as piece cross join lateral (${near}) as near
    limit ${sql.raw(`${maxRows}`)}) as nearer`
  const rows = await db
    .select({
      id: sql<string>`id`,
      textId: sql<string>`text_id`,
      distance: sql`distance`.mapWith(Number),
    })
    .from(nearer)
  for (const { id, textId, distance } of rows) sample.get(id)?.add([[textId, distance]])
  return rows.length < maxRows
}

/**
 * A copy made once for each row, so that a vector stored out of line is not fetched for every
 * comparison.
 */
const copyOf = (vector: SQL, { dimensions }: IndexForm) =>
  subvector(vector, 1, sql.raw(`${dimensions}`))

const vectorOf = (index: IndexForm, id: SQL) => sql`(
  select ${copyOf(sql`stored.vector`, index)} from ${embeddings} as stored
  where stored.collection_id = ${sql.raw(`${index.collectionId}`)}
    and stored.vector_dim = ${sql.raw(`${index.dimensions}`)} and stored.text_id = ${id})`

const soughtBy = (index: IndexForm) => {
  const [own, other] = ['id', 'towards'].map(
    (name) => sql`l2_normalize(${vectorOf(index, sql.raw(`probes.${name}`))})`,
  )
  return sql`${own} + ${other}`
}

const inCollection = ({ collectionId }: Pick<IndexForm, 'collectionId'>) =>
  sql`${embeddings.collectionId} = ${sql.raw(`${collectionId}`)}`

const inIndex = (index: IndexForm) =>
  sql`${inCollection(index)} and ${embeddings.vectorDim} = ${sql.raw(`${index.dimensions}`)}`
