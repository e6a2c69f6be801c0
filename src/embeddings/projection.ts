import { sql } from 'drizzle-orm'
import type { Project } from '../access/project.ts'
import { sentVector } from '../db/pgvector.ts'
import { jsonObject } from '../json/json-text.ts'
import { receivedVector, vectorToBase64 } from '../vectors/encoding.ts'
import type { Metadata } from './metadata.ts'

export const partNames = ['text', 'metadata', 'vector'] as const

/** Which parts of an embedding an answer shows, in addition to its ids, `vector_dim` and dates. */
export type Parts = Readonly<Record<(typeof partNames)[number], boolean>>

/** What a search shows of a result. */
export interface ResultParts extends Parts {
  /** The places of the words in the text. */
  readonly highlights: boolean
  /** What stands around the text. */
  readonly around: boolean
  /** The share of random pairs that are less similar. */
  readonly percentile: boolean
}

export const noParts: ResultParts = {
  ...{ text: false, metadata: false, vector: false },
  ...{ highlights: false, around: false, percentile: false },
}

export const allParts: Parts = { text: true, metadata: true, vector: true }

export const vectorFormats = ['json', 'base64'] as const

/** How an answer writes vectors: as numbers, or as base64 of little-endian float32. */
export type VectorFormat = (typeof vectorFormats)[number]

/** Which parts of embeddings an answer shows, and in which format. */
export interface Projection {
  readonly parts: Parts
  readonly vectorFormat: VectorFormat
}

export const showAll: Projection = { parts: allParts, vectorFormat: 'json' }

/** What an answer shows, according to the parameters of the request. */
export const projectionOf = (query: {
  readonly include?: Parts | undefined
  readonly vector_format?: VectorFormat | undefined
}): Projection =>
  query.include === undefined && query.vector_format === undefined
    ? showAll
    : { parts: query.include ?? allParts, vectorFormat: query.vector_format ?? 'json' }

/**
 * What an answer shows of a row. Vectors and metadata are JSON text, which is passed on as it is.
 */
export interface StoredRow {
  readonly textId: string
  /** Null if it was not asked for. */
  readonly vector: string | null
  readonly vectorDim: number
  readonly text: string | null
  readonly metadata: string | null
  readonly createdAt: Date
}

const absent = sql<string | null>`null`

/**
 * The columns of the parts of a row, for `withProjectedVector`. Parts not asked for are not read.
 */
export const projectedColumns = ({ parts, vectorFormat }: Projection) => ({
  vector: (parts.vector ? vectorColumns[vectorFormat] : absent).as('shown_vector'),
  text: (parts.text ? sql<string | null>`text` : absent).as('shown_text'),
  metadata: (parts.metadata ? sql<string | null>`metadata::text` : absent).as('shown_metadata'),
})

const vectorColumns = {
  json: sql<string | null>`vector::text`,
  base64: sentVector(sql`vector`),
}

/** A row with its vector as JSON text. */
export function withProjectedVector<Row extends Pick<StoredRow, 'vector'>>(
  row: Row,
  { vectorFormat }: Pick<Projection, 'vectorFormat'>,
): Row {
  if (row.vector === null || vectorFormat === 'json') return row
  return { ...row, vector: `"${vectorToBase64(receivedVector(row.vector))}"` }
}

/** An embedding as the API shows it. */
export const presentEmbedding = <More extends object>(
  project: Project,
  row: StoredRow,
  more: More,
) =>
  jsonObject<
    { vector?: number[] | string; metadata?: Metadata },
    ReturnType<typeof fieldsOf> & More
  >({ ...fieldsOf(project, row), ...more }, { vector: row.vector, metadata: row.metadata })

const fieldsOf = (project: Project, row: StoredRow) => ({
  text_id: row.textId,
  user_handle: project.owner,
  project_handle: project.handle,
  ...(project.instance !== undefined && { instance_handle: project.instance.handle }),
  vector_dim: row.vectorDim,
  ...(row.text !== null && { text: row.text }),
  created_at: row.createdAt.toISOString(),
})
