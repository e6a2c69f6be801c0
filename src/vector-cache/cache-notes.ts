import { LRUCache } from 'lru-cache'
import { canCompile } from '../vectors/kernels.ts'

const otherwise = 'compare vectors in the database, which takes some twenty times longer'
const unsupported = `WebAssembly has no SIMD here: searches ${otherwise}`
/** Collections of which it is known that they are too large. */
const mostTooLarge = 1_000
/** Of what nobody has searched for since nothing is said. */
const forgottenAfterMs = 10 * 60_000

/** What operators should know of the vectors in memory; each is told once, when it becomes so. */
export class CacheNotes {
  readonly isSupported = canCompile()
  readonly #maxBytes: number
  readonly #warn: (note: string) => void
  readonly #tooLarge = new LRUCache<number, true>({ max: mostTooLarge, ttl: forgottenAfterMs })
  readonly #crowdedOut = new LRUCache<number, true>({ max: mostTooLarge, ttl: forgottenAfterMs })

  constructor(maxBytes: number, warn: (note: string) => void) {
    this.#maxBytes = maxBytes
    this.#warn = warn
    if (!this.isSupported) warn(unsupported)
  }

  all(): readonly string[] {
    if (!this.isSupported) return [unsupported]
    this.#tooLarge.purgeStale()
    this.#crowdedOut.purgeStale()
    return [
      ...(this.#tooLarge.size === 0 ? [] : [this.#tooLargeNote]),
      ...(this.#crowdedOut.size === 0 ? [] : [this.#crowdedNote]),
    ]
  }

  noteSize(collectionId: number, isTooLarge: boolean): void {
    // None was wanted.
    if (this.#maxBytes === 0) return
    if (!isTooLarge) this.#tooLarge.delete(collectionId)
    else {
      this.#tooLarge.purgeStale()
      if (this.#tooLarge.size === 0) this.#warn(this.#tooLargeNote)
      this.#tooLarge.set(collectionId, true)
    }
  }

  /** @param isCrowdedOut whether it would fit, but for others that are searched more often */
  noteRoom(collectionId: number, isCrowdedOut: boolean): void {
    if (!isCrowdedOut) this.#crowdedOut.delete(collectionId)
    else {
      this.#crowdedOut.purgeStale()
      if (this.#crowdedOut.size === 0) this.#warn(this.#crowdedNote)
      this.#crowdedOut.set(collectionId, true)
    }
  }

  get #tooLargeNote(): string {
    return `The vectors of a project do not fit into SERVICE_VECTORMEMORY (${this.#megabytes} MB): its searches ${otherwise}`
  }

  get #crowdedNote(): string {
    return `The vectors of the projects that are searched do not fit into SERVICE_VECTORMEMORY (${this.#megabytes} MB) together: searches of those that are searched less often ${otherwise}`
  }

  get #megabytes(): number {
    return Math.ceil(this.#maxBytes / 2 ** 20)
  }
}
