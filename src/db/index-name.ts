import { type IndexKind, maxHalfvecDimensions } from './pgvector.ts'

/** What distinguishes the partial indexes of collections: on their vectors, or on their metadata. */
export interface IndexForm {
  readonly collectionId: number
  readonly dimensions: number
  readonly kind: IndexKind | 'metadata'
}

/** The index on vectors that a collection can have. */
export const vectorKind = (dimensions: number): IndexKind =>
  dimensions > maxHalfvecDimensions ? 'bit' : 'halfvec_l2'

/**
 * A regular expression for the names of all of them, those of older versions too: PostgreSQL calls
 * an operator's `embeddings_metadata_idx`.
 */
export const ownNames = '^embeddings_(hnsw|metadata)_[0-9]+_'
const namePattern = /^embeddings_(?:hnsw|metadata)_(\d+)_(?:(halfvec_l2|bit)_)?(\d+)$/

/** The name says everything about an index, so the catalog needs no table in addition. */
export const indexName = ({ collectionId, dimensions, kind }: IndexForm) =>
  kind === 'metadata'
    ? `embeddings_metadata_${collectionId}_${dimensions}`
    : `embeddings_hnsw_${collectionId}_${kind}_${dimensions}`

/** @returns undefined for the name of another index */
export function formOfName(name: string): IndexForm | undefined {
  const [, collectionId, kind = 'metadata', dimensions] = namePattern.exec(name) ?? []
  if (kind !== 'halfvec_l2' && kind !== 'bit' && kind !== 'metadata') return undefined
  const form = { collectionId: Number(collectionId), kind, dimensions: Number(dimensions) } as const
  return indexName(form) === name ? form : undefined
}
