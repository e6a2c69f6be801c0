import { type Caller, callerName } from '../../access/caller.ts'
import { unavailable } from '../../errors.ts'

/** The part of the budget that one caller may use. All callers without a key count as one. */
const shares = { anonymous: 1 / 4, user: 1 / 2, admin: 1 / 2 }

/** Limits the bytes of request bodies in memory, in total and for each caller. */
export class BodyBudget {
  readonly #bytes: number
  readonly #heldBy = new Map<string, number>()
  #held = 0

  constructor(bytes: number) {
    this.#bytes = bytes
  }

  /** Opens an account for one body. It reserves nothing yet. */
  open(caller: Caller): BodyRoom {
    const name = callerName(caller)
    const share = this.#bytes * shares[caller.kind]
    const own = () => this.#heldBy.get(name) ?? 0
    let taken = 0
    const check = (more: number) => {
      if (this.#held + more <= this.#bytes && own() + more <= share) return
      throw unavailable('Too many request bodies are being read; try again in a moment')
    }
    const add = (more: number) => {
      taken += more
      this.#held += more
      const bytes = own() + more
      if (bytes === 0) this.#heldBy.delete(name)
      else this.#heldBy.set(name, bytes)
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

/** The part of the budget that one body uses. */
export interface BodyRoom {
  /** @throws 503 if this many more bytes would not fit now */
  check(more: number): void
  /** @throws 503 if this many more bytes do not fit */
  take(more: number): void
  /** Gives back everything that was taken. */
  release(): void
}
