import { LRUCache } from 'lru-cache'
import { canCompile, maxMemoryBytes } from './kernels.ts'

const otherwise = 'compare vectors in the database, which takes some twenty times longer'
const unsupported = `WebAssembly has no SIMD here: searches ${otherwise}`
const maxComponents = maxMemoryBytes.toLocaleString('en')
/** How many collections a note remembers. */
const maxKnown = 1_000
/** A collection that nobody has searched for this long is forgotten. */
const forgottenAfterMs = 10 * 60_000

/** A note about collections. It is logged once, when it begins to apply to any. */
class Note {
  readonly #text: string
  readonly #warn: (note: string) => void
  readonly #known = new LRUCache<number, true>({ max: maxKnown, ttl: forgottenAfterMs })

  constructor(text: string, warn: (note: string) => void) {
    this.#text = text
    this.#warn = warn
  }

  /** The text, if the note applies to any collection. */
  texts(): readonly string[] {
    this.#known.purgeStale()
    return this.#known.size === 0 ? [] : [this.#text]
  }

  note(collectionId: number, isSo: boolean): void {
    if (!isSo) this.#known.delete(collectionId)
    else {
      if (this.texts().length === 0) this.#warn(this.#text)
      this.#known.set(collectionId, true)
    }
  }
}

/** What operators should know about the vectors in memory. */
export class CacheNotes {
  readonly isSupported = canCompile()
  readonly tooLarge: Note
  /** Collections that would fit if others were not searched more often. */
  readonly crowdedOut: Note

  constructor(maxBytes: number, warn: (note: string) => void) {
    const limit = `SERVICE_VECTORMEMORY (${Math.ceil(maxBytes / 2 ** 20)} MB)`
    this.tooLarge = new Note(
      `The vectors of a project do not fit into ${limit}, or have more than ${maxComponents} components: its searches ${otherwise}`,
      warn,
    )
    this.crowdedOut = new Note(
      `The vectors of the projects that are searched do not fit into ${limit} together: searches of those that are searched less often ${otherwise}`,
      warn,
    )
    if (!this.isSupported) warn(unsupported)
  }

  all(): readonly string[] {
    if (!this.isSupported) return [unsupported]
    return [...this.tooLarge.texts(), ...this.crowdedOut.texts()]
  }
}
