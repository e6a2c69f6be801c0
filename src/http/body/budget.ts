import { type Caller, callerName } from '../../access/caller.ts'
import { unavailable } from '../../errors.ts'

/** What all callers without a key may hold together, and what one with a key may, as parts of the whole. */
const shares = { anonymous: 1 / 4, user: 1 / 2, admin: 1 / 2 }

/** Bounds the bytes of request bodies that are in memory at the same time, and who has them. */
export class BodyBudget {
  readonly #bytes: number
  readonly #heldBy = new Map<string, number>()
  #held = 0

  constructor(bytes: number) {
    this.#bytes = bytes
  }

  /** Room for one body; nothing of it is taken yet. */
  open(caller: Caller): BodyRoom {
    const holder = callerName(caller)
    const share = this.#bytes * shares[caller.kind]
    const own = () => this.#heldBy.get(holder) ?? 0
    let taken = 0
    const check = (more: number) => {
      if (this.#held + more <= this.#bytes && own() + more <= share) return
      throw unavailable('Too many request bodies are being read; try again in a moment')
    }
    const add = (more: number) => {
      taken += more
      this.#held += more
      const bytes = own() + more
      if (bytes === 0) this.#heldBy.delete(holder)
      else this.#heldBy.set(holder, bytes)
    }
    return {
      check,
      take: (more) => {
        check(more)
        add(more)
      },
      release: () => add(-taken),
    }
  }
}

/** The bytes of one body. */
export interface BodyRoom {
  /** @throws 503 when so many bytes more would not fit now */
  check(more: number): void
  /** @throws 503 when so many bytes more do not fit */
  take(more: number): void
  /** Gives back all that was taken. */
  release(): void
}
