import type { Parts, VectorFormat } from '../../embeddings/include/parts.ts'

/** What results are shown with, beside id and similarity. */
export interface Shown {
  readonly parts: Parts
  readonly vectorFormat: VectorFormat
}
