import type { SteppedReading } from './fair-reading.ts'

/** Reading what is there when it begins: what those who wait for it learn. */
export interface Attempt {
  isOver: boolean
  /** Why it failed. */
  error?: unknown
}

/** What is to be held of a project. */
export interface ToHold {
  readonly collectionId: number
  /** Of the collection; empty while it is unknown. */
  readonly history: string
  /** Of the server: revisions of before a failover may stand for other embeddings. */
  readonly serverHistory: number
  /** About so many embeddings are to be read. */
  readonly vectors: number
  /** Whether it was held before, and has made room for others. */
  readonly hasMadeRoom: boolean
}

/** How a project is read. */
export interface Reads {
  /** Reads all, or what has changed since: a little before each `yield`. */
  readonly read: () => AsyncGenerator<void, void>
  readonly failed: (error: unknown) => void
}

/** What a thread holds of one project, and how far it has been read. */
export class HeldProject implements SteppedReading {
  readonly collectionId: number
  readonly serverHistory: number
  history: string
  left: number
  bytes = 0
  /** Whether all was read once; changes may be missing. */
  isReady = false
  /** What begins, or goes on. */
  attempt: Attempt = { isOver: false }
  readonly #hasMadeRoom: boolean
  readonly #reads: Reads
  #steps: AsyncGenerator<void, void> | undefined
  #step: Promise<boolean> | undefined

  constructor(toHold: ToHold, reads: Reads) {
    this.collectionId = toHold.collectionId
    this.history = toHold.history
    this.serverHistory = toHold.serverHistory
    this.left = toHold.vectors
    this.#hasMadeRoom = toHold.hasMadeRoom
    this.#reads = reads
  }

  get isAgain(): boolean {
    return this.#hasMadeRoom && !this.isReady
  }

  step(): Promise<boolean> {
    this.#step ??= this.#takeStep().finally(() => {
      this.#step = undefined
    })
    return this.#step
  }

  /** Ends the attempt. A next one begins anew. */
  end(error?: unknown): void {
    this.attempt.isOver = true
    this.attempt.error = error
    this.attempt = { isOver: false }
    this.#steps = undefined
  }

  async #takeStep(): Promise<boolean> {
    this.#steps ??= this.#reads.read()
    try {
      const { done } = await this.#steps.next()
      if (done === true) this.end()
      return done !== true
    } catch (error) {
      this.end(error)
      this.#reads.failed(error)
      return false
    }
  }
}
