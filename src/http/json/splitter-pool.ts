import { availableParallelism } from 'node:os'
import { unavailable } from '../../errors.ts'
import type { Split } from './split.js'
import { SplitterThread } from './splitter-thread.ts'

const maxThreads = 4
const maxWaiting = 32

interface Waiting {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly resolve: (split: Promise<Split>) => void
}

/** Threads that split large JSON texts; started when they are needed, and then kept. */
export class SplitterPool {
  readonly #waiting: Waiting[] = []
  readonly #threads = new Set<SplitterThread>()
  // A processor is left to the event loop, where everybody else is waiting.
  readonly #size = Math.max(1, Math.min(maxThreads, availableParallelism() - 1))

  /**
   * Takes the buffer of `bytes` away from the caller.
   * @throws 503 when too many are waiting or the thread ended
   */
  async split(bytes: Uint8Array<ArrayBuffer>): Promise<Split> {
    if (this.#waiting.length >= maxWaiting) {
      throw unavailable('Too many large bodies are being read; try again')
    }
    return new Promise((resolve) => {
      this.#waiting.push({ bytes, resolve })
      this.#next()
    })
  }

  #next(): void {
    const thread = this.#free()
    if (thread === undefined) return
    const next = this.#waiting.shift()
    if (next === undefined) return
    const split = thread.split(next.bytes)
    next.resolve(split)
    const proceed = () => this.#next()
    void split.then(proceed, proceed)
  }

  #free(): SplitterThread | undefined {
    for (const thread of this.#threads) {
      if (!thread.alive) this.#threads.delete(thread)
      else if (!thread.busy) return thread
    }
    if (this.#threads.size >= this.#size || this.#waiting.length === 0) return undefined
    const started = new SplitterThread()
    this.#threads.add(started)
    return started
  }
}
