import type { Change } from '../../collections/change-listener.ts'
import type { CandidateRequest, Candidates, Unknown } from './candidates.ts'
import type { CollectionVectors } from './collection.ts'

/**
 * How many text_ids and vectors of changes may wait. With more, reading everything anew is no
 * worse; their memory is not counted.
 */
const maxWaiting = 20_000

/**
 * A cached collection at one revision. Only changes after the revision of the loaded rows count.
 * Changes that arrive while rows are being loaded are applied afterwards, because a row may have
 * been read before or after them.
 */
export class CachedCollection {
  readonly collection: CollectionVectors
  /** Changes that cannot be applied yet. */
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

  /** @throws RangeError if too many changes wait for one that is missing */
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

  /** Usually the first one, since changes arrive in order. */
  #next(): Change | undefined {
    for (const change of this.#waiting) if (change.after <= this.#revision) return change
    return undefined
  }
}

const sizeOf = ({ removed, added }: Change) => removed.length + added.length
