import { LRUCache } from 'lru-cache'
import type { Change } from '../../collections/change-listener.ts'
import { Limiter } from '../../concurrency/limiter.ts'
import { workerScript } from '../../concurrency/worker-script.ts'
import { WorkerThread } from '../../concurrency/worker-thread.ts'
import type { Database } from '../../db/database.ts'
import { isTooLong, tookTooLong } from '../../db/errors.ts'
import type { CollectionState } from '../held/collection-state.ts'
import { StartedThread } from '../held/started-thread.ts'
import type {
  FilterMatches,
  Matches,
  NearestRequest,
  NearestStored,
  Unknown,
} from './candidates.ts'
import type { Diversified, ToDiversify } from './diversity.ts'
import type { IdSizes } from './held-vectors.ts'
import type { StoredVector } from './read-vectors.ts'
import type { SimilarityScale } from './scale.ts'

/** Tells the thread something about a collection, or asks it. */
export type CacheMessage = { readonly collectionId: number } & (
  | { readonly do: 'complete' | 'drop' }
  /** Its rows follow, read after this revision, and then `complete`. */
  | ({ readonly do: 'begin' } & CollectionAt)
  | { readonly do: 'load'; readonly rows: readonly StoredVector[] }
  | ({ readonly do: 'change' } & Change)
  /** Precedes the question to the database what a filter keeps. */
  | { readonly do: 'begin mask'; readonly key: string }
  | ({ readonly do: 'fill mask'; readonly key: string } & FilterMatches)
  /** This and what follows is answered. */
  | ({ readonly do: 'nearest'; readonly request: NearestRequest } & CollectionAt)
  /** In slices, so that searches do not wait, as of whatever revision is there. */
  | { readonly do: 'scale' }
  | ({ readonly do: 'diversify' } & ToDiversify)
  /** Fills what was begun with the file of this hash. */
  | { readonly do: 'read file'; readonly folder: string; readonly hash: string }
  /** @param isLast whether lists that are missing are not waited for */
  | { readonly do: 'write file'; readonly folder: string; readonly isLast: boolean }
)

type CollectionAt = Pick<CollectionState, 'dimensions' | 'revision'>

/** The message that begins with this word. */
export type MessageOf<Do extends CacheMessage['do']> = Extract<CacheMessage, { readonly do: Do }>

export type CacheReply =
  | NearestStored
  | Unknown
  | FileRead
  | FileWritten
  | SimilarityScale
  | Diversified

export interface FileRead {
  readonly ids: IdSizes
}

export interface FileWritten {
  readonly hash: string
  /** The collection was written as it was at this revision. */
  readonly revision: number
}

/** The worker thread that caches vectors. */
export class CacheThread extends StartedThread<CacheMessage, CacheReply> {
  /**
   * @param exactBudget of a `CollectionVectors`
   * @param ended is called when the thread has ended and its cache is lost
   */
  constructor(exactBudget: number, ended: () => void) {
    const script = workerScript(import.meta.url, './worker.ts')
    super(() => new WorkerThread(script, { workerData: exactBudget }), ended)
  }

  /** @returns 'gone' if the thread ends */
  override ask(message: CacheMessage): Promise<CacheReply> {
    return super.ask(message).catch(() => 'gone')
  }

  /** @returns undefined if the file is not as it was written, or if the collection was dropped */
  async readFile(message: MessageOf<'read file'>): Promise<FileRead | undefined> {
    const reply = await this.ask(message)
    return typeof reply === 'object' && 'ids' in reply ? reply : undefined
  }

  /** @returns undefined if the collection changes meanwhile, or if the file could not be written */
  async writeFile(message: MessageOf<'write file'>): Promise<FileWritten | undefined> {
    const reply = await this.ask(message)
    return typeof reply === 'object' && 'hash' in reply ? reply : undefined
  }
}

/** For how long a filter that took too long is not tried again. */
const slowForMs = 10 * 60_000
const maxFilters = 10_000

/** Asks the database what filters keep, and sends it to the cache thread. */
export class MaskMaker {
  readonly #thread: CacheThread
  readonly #database: Pick<Database, 'requester'>
  /** Each mask takes the memory of all text_ids that its filter keeps. */
  readonly #limiter = new Limiter({ maxConcurrent: 4, queueTimeoutMs: 10_000, maxQueue: 1_000 })
  readonly #making = new Map<string, Promise<void>>()
  readonly #seen = new LRUCache<string, true>({ max: maxFilters })
  readonly #slow = new LRUCache<string, true>({ max: maxFilters, ttl: slowForMs })

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
   * up, the others ask again.
   * @returns false if it takes longer than a statement may, or keeps more text_ids than fit into a
   *   text: the other strategies read less
   * @throws 503 after too long a wait in the queue
   */
  async make(collectionId: number, matches: Matches): Promise<boolean> {
    const name = `${collectionId} ${matches.key}`
    if (this.#slow.has(name)) return false
    const begun = this.#making.get(name)
    if (begun !== undefined) await begun.catch(() => {})
    else {
      const fill = () => this.#fill(collectionId, name, matches)
      const making = this.#limiter.run(fill, this.#database.requester())
      this.#making.set(name, making)
      await making.finally(() => this.#making.delete(name))
    }
    return !this.#slow.has(name)
  }

  /** Makes a mask that nobody waits for, but not before those that somebody waits for. */
  makeSoon(collectionId: number, matches: Matches): void {
    // If it fails, or is not made, the next search tries again.
    if (this.#making.size === 0) void this.make(collectionId, matches).catch(() => {})
  }

  async #fill(collectionId: number, name: string, { key, find }: Matches): Promise<void> {
    this.#thread.tell({ do: 'begin mask', collectionId, key })
    const matches = await find().catch((error) => {
      // The text_ids of millions may be longer than any text.
      if (!tookTooLong(error) && !isTooLong(error)) throw error
      this.#slow.set(name, true)
    })
    if (matches !== undefined) this.#thread.tell({ do: 'fill mask', collectionId, key, ...matches })
  }
}
