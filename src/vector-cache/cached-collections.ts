import { createPause } from '../concurrency/pause.ts'
import { receivedVector } from '../vectors/encoding.ts'
import { compileKernels } from '../vectors/kernels.ts'
import { CachedCollection } from './cached-collection.ts'
import type {
  CandidateRequest,
  Candidates,
  Change,
  CollectionState,
  Unknown,
} from './candidates.ts'
import { CollectionVectors } from './collection.ts'
import type { StoredVector } from './read-vectors.ts'

/** What is done beside requests holds them up no longer than this. */
const sliceMs = 3

/** The collections in the cache's thread. All functions take theirs by its id; one that is not there is no error. */
export class CachedCollections {
  /** Made when it is needed: where it cannot be made nothing is kept. */
  #module: WebAssembly.Module | undefined
  readonly #exactBudget: number
  readonly #cached = new Map<number, CachedCollection>()
  #isMaking = false

  /** @param exactBudget components (vectors × dimensions) above which not all vectors are compared */
  constructor(exactBudget: number) {
    this.#exactBudget = exactBudget
  }

  /** Rows will follow that are read after this revision was. */
  begin(collectionId: number, dimensions: number, revision: number): void {
    this.#cached.delete(collectionId)
    try {
      this.#module ??= compileKernels()
      const collection = new CollectionVectors(this.#module, dimensions, this.#exactBudget)
      this.#cached.set(collectionId, new CachedCollection(collection, revision))
    } catch {
      // Where there is no memory for it the database goes on.
    }
  }

  /** Takes in some of the rows. */
  load(collectionId: number, rows: readonly StoredVector[]): void {
    this.#attempt(collectionId, (cached) => {
      for (const { textId, vector } of rows) cached.collection.set(textId, receivedVector(vector))
    })
  }

  /** There are no more rows. */
  complete(collectionId: number): void {
    this.#attempt(collectionId, (cached) => cached.complete())
    void this.#makeCodes()
  }

  change(change: Change): void {
    this.#attempt(change.collectionId, (cached) => cached.change(change))
    void this.#makeCodes()
  }

  /** Before the database is asked what a filter keeps. */
  beginMask(collectionId: number, key: string): void {
    this.#attempt(collectionId, (cached) => cached.collection.beginMask(key))
  }

  /** @param textIds as a list in JSON */
  fillMask(collectionId: number, key: string, textIds: string): void {
    this.#attempt(collectionId, (cached) => cached.collection.fillMask(key, JSON.parse(textIds)))
  }

  drop(collectionId: number): void {
    this.#cached.delete(collectionId)
  }

  /** What was committed up to the revision of `state` must have been taken in. */
  candidates(state: CollectionAt, request: CandidateRequest): Candidates | Unknown {
    const { collectionId, dimensions, revision } = state
    let found: Candidates | Unknown = 'gone'
    this.#attempt(collectionId, (cached) => {
      if (cached.collection.dimensions === dimensions) found = cached.candidates(revision, request)
    })
    return found
  }

  /** Where there is no more memory the collection is given up, and the database goes on. */
  #attempt(collectionId: number, work: (cached: CachedCollection) => void): void {
    const cached = this.#cached.get(collectionId)
    try {
      if (cached !== undefined) work(cached)
    } catch {
      this.#cached.delete(collectionId)
    }
  }

  /** One collection after another, in the pauses between requests. */
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

/** What a search has found of its collection. */
export type CollectionAt = Pick<CollectionState, 'collectionId' | 'dimensions' | 'revision'>
