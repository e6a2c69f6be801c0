import { asc, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { type Collection, type ProjectWithCollection, stateKey } from '../access/project.ts'
import { countEmbeddings, inRange, textIdAfter } from '../collections/keys.ts'
import { Limiter, type Requester } from '../concurrency/limiter.ts'
import { createPause } from '../concurrency/yielding.ts'
import type { Database, Db } from '../db/database.ts'
import { allVisible } from '../db/distributed.ts'
import { embeddings } from '../db/schema.ts'
import { readPage } from '../embeddings/list.ts'
import type { Projection } from '../embeddings/projection.ts'
import { cancelled } from '../errors.ts'
import { filterCondition } from '../filters/condition.ts'
import type { Filter } from '../filters/filter.ts'
import { type ChosenFields, countFacets } from './facets.ts'
import { FieldStatistics } from './field-statistics.ts'

/** Up to this number of documents, all are read; above it, a sample of this size. */
const maxDocuments = 10_000
const documentsAtOnce = 100
/** Most metadata read for one answer, as JSON text. */
const maxBytes = 64 * 2 ** 20

/** The same limit for sizes and times, which need no metadata. */
const maxMeasured = 100_000
const measuredAtOnce = 5_000

/** How much is remembered: projects that were measured, and characters of listed fields. */
const remembered = { measured: 1_000, fields: 8 * 2 ** 20 }

/** The event loop is blocked no longer than for this and one document. */
const sliceMs = 5

/** Bytes of a pgvector vector in addition to its elements. */
const vectorHeaderBytes = 8
const metadataAlone: Projection = {
  parts: { text: false, metadata: true, vector: false },
  vectorFormat: 'json',
}

/**
 * Describes what a project holds, at a bounded cost. What was found is remembered until the
 * project's embeddings or metadata change.
 */
export function createStatistics({
  search: { db },
  history,
}: Pick<Database, 'search' | 'history'>) {
  // A requester gets only one of the two places: the last free one is for others.
  const tallies = new Limiter({ maxConcurrent: 2, queueTimeoutMs: 10_000, maxQueue: 20 })
  const stateOf = (collection: Collection) => stateKey(history(), collection)
  const measured = new LRUCache<string, Measured>({ max: remembered.measured })
  // Facets look at every embedding, and must not keep the shorter tallies waiting.
  const scans = new Limiter({ maxConcurrent: 2, queueTimeoutMs: 10_000, maxQueue: 100 })
  const fields = new LRUCache<string, Awaited<ReturnType<typeof countFields | typeof countFacets>>>(
    {
      maxSize: remembered.fields,
      sizeCalculation: (found, key) => JSON.stringify(found).length + key.length,
    },
  )
  return {
    count: ({ collection }: ProjectWithCollection, filter: Filter | undefined): Promise<number> =>
      filter === undefined
        ? Promise.resolve(collection.vectors)
        : countEmbeddings(db, collection.collectionId, filterCondition(filter)),

    summary: async (project: ProjectWithCollection) => {
      const { collection } = project
      const state = stateOf(collection)
      const found = measured.get(state) ?? (await measure(db, collection))
      measured.set(state, found)
      return summarize(project, found)
    },

    /**
     * @param facets counts the values of these fields exactly, instead of all in a sample
     * @throws 503 after too long a wait for the requester's previous one, or for others
     */
    fields: async (
      { collection }: ProjectWithCollection,
      facets?: ChosenFields,
      requester?: Requester,
    ) => {
      const key = `${stateOf(collection)} ${JSON.stringify(facets)}`
      const find = async () => {
        // Whoever has waited finds what the one before has found.
        const found =
          fields.get(key) ??
          (await (facets === undefined
            ? countFields(db, collection, requester)
            : countFacets(db, collection, facets)))
        fields.set(key, found)
        return found
      }
      return fields.get(key) ?? (facets === undefined ? tallies : scans).run(find, requester)
    },
  }
}

function summarize({ collection, instance }: ProjectWithCollection, measured: Measured) {
  const { vectors, index } = collection
  const dimensions = collection.dimensions ?? instance?.dimensions
  const inAll = (sum: number) =>
    measured.rows === 0 ? 0 : Math.round(vectors * (sum / measured.rows))
  const last = vectors === 0 ? null : (collection.addedAt ?? measured.last)
  const bytes = {
    vectors: vectors * (vectorHeaderBytes + 4 * (dimensions ?? 0)),
    texts: inAll(measured.textBytes),
    metadata: inAll(measured.metadataBytes),
  }
  return {
    total_count: vectors,
    ...(dimensions !== undefined && { dimensions }),
    bytes: { ...bytes, total: bytes.vectors + bytes.texts + bytes.metadata },
    ...(index !== null && { index: { kind: index } }),
    ...(measured.first !== null && { first_upload: measured.first.toISOString() }),
    ...(last !== null && { last_upload: last.toISOString() }),
    sampled: vectors > maxMeasured,
  }
}

/** Measures sizes and times of all rows, or of a sample. */
async function measure(db: Db, { collectionId, vectors }: Collection) {
  await allVisible(db, collectionId)
  const sample = sampleOver(vectors, maxMeasured, measuredAtOnce)
  const sums = { rows: 0, textBytes: 0, metadataBytes: 0 }
  let first: Date | null = null
  let last: Date | null = null
  for await (const after of beginnings(db, collectionId, sample)) {
    const [group] = await measureGroup(db, collectionId, after, sample.take)
    if (group === undefined) continue
    sums.rows += group.rows
    sums.textBytes += group.textBytes
    sums.metadataBytes += group.metadataBytes
    if (group.first !== null && (first === null || group.first < first)) first = group.first
    if (group.last !== null && (last === null || group.last > last)) last = group.last
  }
  return { ...sums, first, last }
}

type Measured = Awaited<ReturnType<typeof measure>>

/** For values stored out of line, only the size is read. */
function measureGroup(db: Db, collectionId: number, after: string, take: number) {
  const group = db
    .select({
      createdAt: embeddings.createdAt,
      textBytes: sql`octet_length(${embeddings.text})`.as('text_bytes'),
      metadataBytes: sql`pg_column_size(${embeddings.metadata})`.as('metadata_bytes'),
    })
    .from(embeddings)
    .where(inRange(collectionId, { after }))
    .orderBy(asc(embeddings.textId))
    .limit(take)
    .as('group_of_rows')
  const sum = (bytes: typeof group.textBytes) => sql`coalesce(sum(${bytes}), 0)`.mapWith(Number)
  return db
    .select({
      rows: sql`count(*)`.mapWith(Number),
      textBytes: sum(group.textBytes).as('texts'),
      metadataBytes: sum(group.metadataBytes).as('metadata'),
      first: sql<Date | null>`min(${group.createdAt})`.mapWith(embeddings.createdAt).as('first'),
      last: sql<Date | null>`max(${group.createdAt})`.mapWith(embeddings.createdAt).as('last'),
    })
    .from(group)
}

/** Counts the fields of the metadata without keeping other requests waiting. */
async function countFields(db: Db, collection: Collection, requester?: Requester) {
  const { collectionId, vectors } = collection
  await allVisible(db, collectionId)
  const sample = sampleOver(vectors, maxDocuments, documentsAtOnce)
  const tally = new FieldStatistics()
  const pause = createPause(sliceMs)
  let documents = 0
  for await (const after of beginnings(db, collectionId, sample)) {
    let bytes = 0
    const isEnough = () => tally.isFull || bytes >= maxBytes / sample.groups
    const page = { limit: sample.take, offset: 0, after }
    for await (const { rows } of readPage(db, collectionId, page, metadataAlone)) {
      for (const { metadata } of rows) {
        if (isEnough()) break
        documents += 1
        bytes += metadata?.length ?? 0
        if (metadata !== null) tally.add(JSON.parse(metadata))
        await pause()
      }
      if (isEnough()) break
    }
    if (requester?.signal.aborted) throw cancelled()
    if (tally.isFull) break
  }
  return {
    total_count: vectors,
    documents,
    sampled: documents < vectors,
    ...tally.summary(documents),
  }
}

/**
 * How to read a number of embeddings: all, or groups of adjacent ones spread evenly over the
 * text_ids.
 */
interface Sample {
  readonly groups: number
  /** From the beginning of one group to that of the next. */
  readonly step: number
  /** How many embeddings of a step to read. */
  readonly take: number
}

/** How many groups a sample has. */
const sampleGroups = 100

/**
 * @param most up to so many, all are read; above it, so many of them
 * @param atOnce how many one statement reads if all are read
 */
function sampleOver(total: number, most: number, atOnce: number): Sample {
  if (total <= most) return { groups: Math.ceil(total / atOnce), step: atOnce, take: atOnce }
  const step = Math.floor(total / sampleGroups)
  return { groups: sampleGroups, step, take: most / sampleGroups }
}

/**
 * The text_ids after which the groups begin. To find the next one, a statement walks the keys in
 * between. Other requests run between these statements.
 */
async function* beginnings(
  db: Db,
  collectionId: number,
  { groups, step }: Sample,
): AsyncGenerator<string> {
  let after = ''
  for (let group = 0; group < groups; group += 1) {
    yield after
    if (group === groups - 1) return
    const next = await textIdAfter(db, collectionId, after, step)
    if (next === undefined) return
    after = next
  }
}
