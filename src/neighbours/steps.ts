interface Neighbour {
  readonly id: string
  /** Cosine similarity, 0 to 1. */
  readonly similarity: number
}

/** An embedding with its neighbours, the most similar first, equal ones by text_id. */
export interface NeighboursRow {
  readonly id: string
  readonly neighbours: readonly Neighbour[]
}

/**
 * Parts of an answer: rows in the order of text_ids, progress in between, and finally the totals.
 */
export type Step =
  | readonly NeighboursRow[]
  /** `total` is null until it is known. */
  | { readonly progress: { readonly done: number; readonly total: number | null } }
  | { readonly done: true; readonly embeddings: number; readonly mode: 'exact' | 'approximate' }

const progressEveryMs = 2_000

/** Reports progress, but not more often than is useful. */
export class NeighboursProgress {
  #saidAt = Number.NEGATIVE_INFINITY;

  *of(done: number, total: number | null): Generator<Step> {
    const now = performance.now()
    if (now - this.#saidAt < progressEveryMs) return
    this.#saidAt = now
    yield { progress: { done, total } }
  }
}

/** The approximate size as JSON. */
export const sizeOf = (step: Step): number =>
  Array.isArray(step)
    ? step.reduce((sum, { id, neighbours }) => sum + 24 + id.length + sizeOfAll(neighbours), 0)
    : 40

const sizeOfAll = (neighbours: readonly Neighbour[]) =>
  neighbours.reduce((sum, { id }) => sum + 34 + id.length, 0)
