import { LRUCache } from 'lru-cache'
import { Limiter } from '../../concurrency/limiter.ts'
import type { Database } from '../../db/database.ts'
import { tookTooLong } from '../../db/errors.ts'
import type { CacheThread } from './cache-thread.ts'
import type { Matches } from './candidates.ts'

/** For how long a filter that took too long is not tried again. */
const slowForMs = 10 * 60_000
const maxSlow = 10_000
const maxSeen = 10_000

/** Asks the database what filters keep, and sends it to the cache thread. */
export class MaskMaker {
  readonly #thread: CacheThread
  readonly #database: Pick<Database, 'requester'>
  /** Each mask takes the memory of all text_ids that its filter keeps. */
  readonly #limiter = new Limiter({ maxConcurrent: 4, queueTimeoutMs: 10_000, maxQueue: 1_000 })
  readonly #making = new Map<string, Promise<void>>()
  readonly #seen = new LRUCache<string, true>({ max: maxSeen })
  readonly #slow = new LRUCache<string, true>({ max: maxSlow, ttl: slowForMs })

  constructor(thread: CacheThread, database: Pick<Database, 'requester'>) {
    this.#thread = thread
    this.#database = database
  }

  /** Whether this filter is new. A new filter may never be used again. */
  isNew(collectionId: number, key: string): boolean {
    const name = `${collectionId} ${key}`
    const isNew = !this.#seen.has(name)
    this.#seen.set(name, true)
    return isNew
  }

  /**
   * Requests that need the same mask share one query. If it fails for the first, who may have hung
   * up, the others go on.
   * @returns false if it takes longer than a statement may: the other strategies read less
   * @throws 503 after too long a wait in the queue
   */
  async make(collectionId: number, matches: Matches): Promise<boolean> {
    const name = `${collectionId} ${matches.key}`
    if (this.#slow.has(name)) return false
    const known = this.#making.get(name)
    if (known !== undefined) await known.catch(() => {})
    else {
      const making = this.#limiter.run(
        () => this.#fill(collectionId, name, matches),
        this.#database.requester(),
      )
      this.#making.set(name, making)
      await making.finally(() => this.#making.delete(name))
    }
    return !this.#slow.has(name)
  }

  async #fill(collectionId: number, name: string, { key, find }: Matches): Promise<void> {
    this.#thread.tell({ do: 'begin mask', collectionId, key })
    const textIds = await find().catch((error) => {
      if (!tookTooLong(error)) throw error
      this.#slow.set(name, true)
    })
    if (textIds !== undefined) this.#thread.tell({ do: 'fill mask', collectionId, key, textIds })
  }
}
