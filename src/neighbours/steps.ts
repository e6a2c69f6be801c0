import type { Filter } from '../filters/filter.ts'

export interface NeighboursRequest {
  /** Neighbours of each embedding at most, 1 to 100. */
  readonly k: number
  /** The smallest similarity of a neighbour, 0 to 1, inclusive. */
  readonly threshold: number
  /** Which embeddings are meant, on both sides; undefined for all of the project. */
  readonly filter: Filter | undefined
  /** A metadata path: only embeddings with another value there are neighbours. */
  readonly different: readonly string[] | undefined
  /** Only embeddings behind this text_id get a line; the others are neighbours all the same. */
  readonly after: string | undefined
  /** Whether nothing but an exact answer will do. */
  readonly exact: boolean
}

export interface Neighbour {
  readonly id: string
  /** Cosine similarity, 0 to 1. */
  readonly similarity: number
}

/** An embedding with its neighbours, the most similar first, equal ones by text_id. */
export interface NeighboursRow {
  readonly id: string
  readonly neighbours: readonly Neighbour[]
}

export type Mode = 'exact' | 'approximate'

/** What comes of a request, bit by bit: rows in the order of text_ids, how far it is, and at last the sum. */
export type Step =
  | readonly NeighboursRow[]
  /** `total` is null until it is known. */
  | { readonly progress: { readonly done: number; readonly total: number | null } }
  | { readonly done: true; readonly embeddings: number; readonly mode: Mode }

const progressEveryMs = 2_000

/** Says how far it is, but not more often than anybody wants to know. */
export class NeighboursProgress {
  #saidAt = Number.NEGATIVE_INFINITY;

  *of(done: number, total: number | null): Generator<Step> {
    const now = performance.now()
    if (now - this.#saidAt < progressEveryMs) return
    this.#saidAt = now
    yield { progress: { done, total } }
  }
}

/** As JSON, roughly. */
export const sizeOf = (step: Step): number =>
  Array.isArray(step)
    ? step.reduce((sum, { id, neighbours }) => sum + 24 + id.length + sizeOfAll(neighbours), 0)
    : 40

const sizeOfAll = (neighbours: readonly Neighbour[]) =>
  neighbours.reduce((sum, { id }) => sum + 34 + id.length, 0)
