import type { Change } from '../../collections/change-listener.ts'
import { createPause } from '../../concurrency/yielding.ts'
import { receivedVector } from '../../vectors/encoding.ts'
import { CachedCollection } from './cached-collection.ts'
import type { CandidateRequest, Candidates, CollectionState, Unknown } from './candidates.ts'
import { CollectionVectors } from './collection.ts'
import { compileKernels } from './kernels.ts'
import type { StoredVector } from './read-vectors.ts'

/** Background work delays requests for no longer than this. */
const sliceMs = 3

/**
 * The collections in the cache thread. Methods take a collection's id and ignore an unknown one.
 */
export class CachedCollections {
  /** Compiled on first use. If that fails, nothing is cached. */
  #module: WebAssembly.Module | undefined
  readonly #exactBudget: number
  readonly #cached = new Map<number, CachedCollection>()
  #isMaking = false

  /**
   * @param exactBudget components (vectors × dimensions) above which not all vectors are compared
   */
  constructor(exactBudget: number) {
    this.#exactBudget = exactBudget
  }

  /** Begins a collection. Its rows follow, read after this revision. */
  begin(collectionId: number, dimensions: number, revision: number): void {
    this.#cached.delete(collectionId)
    try {
      this.#module ??= compileKernels()
      const collection = new CollectionVectors(this.#module, dimensions, this.#exactBudget)
      this.#cached.set(collectionId, new CachedCollection(collection, revision))
    } catch {
      // If there is not enough memory, the database continues to search.
    }
  }

  load(collectionId: number, rows: readonly StoredVector[]): void {
    this.#attempt(collectionId, (cached) => {
      for (const { textId, vector } of rows) cached.collection.set(textId, receivedVector(vector))
    })
  }

  /** Call this after the last rows. */
  complete(collectionId: number): void {
    this.#attempt(collectionId, (cached) => cached.complete())
    void this.#makeCodes()
  }

  change(change: Change): void {
    this.#attempt(change.collectionId, (cached) => cached.change(change))
    void this.#makeCodes()
  }

  /** Call this before asking the database what a filter keeps. */
  beginMask(collectionId: number, key: string): void {
    this.#attempt(collectionId, (cached) => cached.collection.beginMask(key))
  }

  /** @param textIds as a JSON array */
  fillMask(collectionId: number, key: string, textIds: string): void {
    this.#attempt(collectionId, (cached) => cached.collection.fillMask(key, JSON.parse(textIds)))
  }

  drop(collectionId: number): void {
    this.#cached.delete(collectionId)
  }

  /** Answers only if everything committed up to the revision of `state` has been applied. */
  candidates(state: CollectionAt, request: CandidateRequest): Candidates | Unknown {
    const { collectionId, dimensions, revision } = state
    let found: Candidates | Unknown = 'gone'
    this.#attempt(collectionId, (cached) => {
      if (cached.collection.dimensions === dimensions) found = cached.candidates(revision, request)
    })
    return found
  }

  /** If there is not enough memory, the collection is dropped and the database searches it. */
  #attempt(collectionId: number, work: (cached: CachedCollection) => void): void {
    const cached = this.#cached.get(collectionId)
    try {
      if (cached !== undefined) work(cached)
    } catch {
      this.#cached.delete(collectionId)
    }
  }

  /** Makes sign codes for one collection after another, in the pauses between requests. */
  async #makeCodes(): Promise<void> {
    if (this.#isMaking) return
    this.#isMaking = true
    for (;;) {
      const next = [...this.#cached].find(([, each]) => each.needsCodes())
      if (next === undefined) break
      const [collectionId, cached] = next
      await cached.collection.makeCodes(createPause(sliceMs)).catch(() => this.drop(collectionId))
    }
    this.#isMaking = false
  }
}

/** The state in which a search found its collection. */
export type CollectionAt = Pick<CollectionState, 'collectionId' | 'dimensions' | 'revision'>
