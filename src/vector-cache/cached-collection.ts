import type { CandidateRequest, Candidates, Change, Unknown } from './candidates.ts'
import type { CollectionVectors } from './collection.ts'

/** Text_ids and vectors of changes that wait: by then reading all anew is no worse, and the memory is not counted. */
const maxWaiting = 20_000

/**
 * A collection as it is at one revision. Changes count from the one that the rows were read after; those
 * that come while rows are being read are made afterwards, because a row may be read before or after them.
 */
export class CachedCollection {
  /** As it is by now. */
  readonly collection: CollectionVectors
  /** Changes that follow one that has not come yet. */
  readonly #waiting = new Set<Change>()
  #sizeWaiting = 0
  #revision: number
  #isComplete = false

  constructor(collection: CollectionVectors, revision: number) {
    this.collection = collection
    this.#revision = revision
  }

  complete(): void {
    this.#isComplete = true
    this.#catchUp()
  }

  /** @throws RangeError where too many wait for a change that nobody has asked for */
  change(change: Change): void {
    if (change.revision <= this.#revision) return
    this.#waiting.add(change)
    this.#sizeWaiting += sizeOf(change)
    if (!this.#isComplete) return
    this.#catchUp()
    if (this.#sizeWaiting > maxWaiting) throw new RangeError('too many changes wait')
  }

  candidates(revision: number, request: CandidateRequest): Candidates | Unknown {
    if (!this.#isComplete) return 'none'
    if (this.#revision < revision) return { knownTo: this.#revision }
    return this.collection.candidates(request)
  }

  needsCodes(): boolean {
    return this.#isComplete && this.collection.needsCodes()
  }

  #catchUp(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#waiting.delete(next)
      this.#sizeWaiting -= sizeOf(next)
      if (next.revision <= this.#revision) continue
      for (const textId of next.removed) this.collection.delete(textId)
      for (const { textId, vector } of next.added) this.collection.set(textId, vector)
      this.#revision = next.revision
    }
  }

  /** Mostly the first: they come in their order. */
  #next(): Change | undefined {
    for (const change of this.#waiting) if (change.after <= this.#revision) return change
    return undefined
  }
}

const sizeOf = ({ removed, added }: Change) => removed.length + added.length
