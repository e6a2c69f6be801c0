import { workerScript } from '../../concurrency/worker-script.ts'
import { ThreadEnded } from '../../concurrency/worker-thread.ts'
import { Dropped } from '../held/held-projects.ts'
import { StartedThread } from '../held/started-thread.ts'
import type { HeldWords } from './held-words.ts'
import { needsMemory, readAnew } from './refusals.ts'
import type { StoredText, WordMessage, WordReply } from './thread.ts'

/** The worker thread that indexes words. */
export class WordThread {
  readonly #maxBytes: number
  readonly #thread: StartedThread<WordMessage, WordReply>

  /**
   * @param maxBytes for all indexes together
   * @param ended is called when the thread has ended and its indexes are lost
   */
  constructor(maxBytes: number, ended: () => void) {
    this.#maxBytes = maxBytes
    const maxOldGenerationSizeMb = 256 + Math.ceil((2 * maxBytes) / 2 ** 20)
    this.#thread = new StartedThread(
      workerScript(import.meta.url, './worker.ts'),
      { resourceLimits: { maxOldGenerationSizeMb } },
      ended,
    )
  }

  drop({ index }: HeldWords): void {
    this.#thread.tellIfAlive({ do: 'drop', index })
  }

  /** @throws 503 if the thread ends */
  ask(message: WordMessage): Promise<WordReply> {
    return this.#thread.ask(message).catch((error) => {
      throw readAnew(error)
    })
  }

  /**
   * Adds texts to an index.
   * @returns the bytes of the index
   * @throws Dropped if the index is gone, 422 if there is not enough memory
   */
  async put(held: HeldWords, texts: readonly StoredText[]): Promise<number> {
    const reply = await this.#thread.ask({ do: 'put', index: held.index, texts }).catch((cause) => {
      // Others may have filled the memory.
      const isOwn = held.bytes > this.#maxBytes / 2
      const isFull = cause instanceof ThreadEnded && cause.reason === 'memory'
      throw isFull && isOwn ? needsMemory(this.#maxBytes) : new Dropped()
    })
    if (reply === 'too large') throw needsMemory(this.#maxBytes)
    if (typeof reply !== 'object' || !('bytes' in reply)) throw new Dropped()
    return reply.bytes
  }
}
