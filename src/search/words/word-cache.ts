import { AsyncResource } from 'node:async_hooks'
import { eq } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { changesAfter } from '../../collections/changes.ts'
import { inUseOf } from '../../collections/collections.ts'
import { Limiter } from '../../concurrency/limiter.ts'
import { PeriodicTask } from '../../concurrency/periodic-task.ts'
import { workerScript } from '../../concurrency/worker-script.ts'
import { ThreadEnded, WorkerThread } from '../../concurrency/worker-thread.ts'
import type { Database } from '../../db/database.ts'
import { historyOf } from '../../db/history.ts'
import { collections } from '../../db/schema.ts'
import { ServiceError, unprocessable } from '../../errors.ts'
import { type Highlight, maxRead } from './highlights.ts'
import { readAllTexts, readChanged } from './read-texts.ts'
import type {
  FoundText,
  StoredText,
  WordMatches,
  WordMessage,
  WordReply,
  WordRequest,
} from './thread.ts'

/** What a search needs to know of its project: what was committed before it began. */
interface CollectionAt {
  readonly collectionId: number
  readonly revision: number
  readonly history: string
  readonly vectors: number
}

interface Held {
  /** Names this index to the thread: of the same project, there may be an older one. */
  readonly index: number
  readonly history: string
  /** Of the server: revisions of before a failover may stand for other texts. */
  readonly serverHistory: number
  /** Everything up to this revision is in the index. */
  revision: number
  bytes: number
  /** How many embeddings have been read. */
  read: number
  isReady: boolean
  /** The work on this index, one after another. */
  work: Promise<void>
}

const maxTooLarge = 1_000
const tooLargeForMs = 10 * 60_000
/** The work of a search: about a second's; with a key, and without one. */
const maxWork = { keyed: 30_000_000, keyless: 7_500_000 }
/** For how long a search waits for an index that is being made. */
const patienceMs = 10_000
/** Others' changes are read each minute, since they are noted for some minutes only. */
const times = { everyMs: 60_000, soonMs: 1_000, retryMs: 5_000 }
/** Of an index besides what it holds. */
const fixedBytes = 1_000

/** An index that was dropped, or that must be: the next one is read anew. */
class Dropped extends Error {}
/** The project is not as a search has found it, so a next one would be dropped too. */
class Outdated extends Dropped {}

/**
 * Keeps an index of the words of each project that is searched by words. It is read from the texts
 * on the first search. Each search brings it up to date before it is answered, so that uploads
 * have no work with it.
 */
export class WordCache {
  readonly #database: Pick<Database, 'search' | 'requester' | 'history'>
  readonly #maxBytes: number
  /** Those that were searched last are last. */
  readonly #held = new Map<number, Held>()
  #bytes = 0
  /** Projects that need more memory than there is. */
  readonly #tooLarge = new LRUCache<number, true>({ max: maxTooLarge, ttl: tooLargeForMs })
  /** Requesters take turns at the thread, which works on a slice of one search after another. */
  readonly #limiter = new Limiter({ maxConcurrent: 4, queueTimeoutMs: 10_000, maxQueue: 1_000 })
  /** Projects are read one at a time. */
  #reading: Promise<void> = Promise.resolve()
  /** Runs work apart from the context of the first requester, because others wait for it as well. */
  readonly #forAll = AsyncResource.bind((work: () => Promise<void>) => work())
  readonly #task: PeriodicTask
  #running: WorkerThread<WordMessage, WordReply> | undefined
  #lastIndex = 0

  /** @param maxBytes for all indexes together */
  constructor(database: Pick<Database, 'search' | 'requester' | 'history'>, maxBytes: number) {
    this.#database = database
    this.#maxBytes = maxBytes
    // An unreachable database is reported elsewhere.
    this.#task = new PeriodicTask(
      times,
      () => this.#keepUp(),
      () => {},
    )
  }

  start(): void {
    this.#task.start()
  }

  stop(): void {
    this.#task.stop()
  }

  /** Call this when a project was emptied or deleted. */
  wake(): void {
    this.#task.wake()
  }

  /**
   * A page of the documents that match best, and how many match in all.
   * @throws 503 while the texts are being read, 422 if there is not enough memory for them, or if the
   *   words occur too often
   */
  async search(state: CollectionAt, asked: Omit<WordRequest, 'maxWork'>): Promise<WordMatches> {
    const reply = await this.#answer(state, (index, maxWork) => {
      return { do: 'search', index, request: { ...asked, maxWork } }
    })
    return 'found' in reply ? reply : { found: [], total: 0 }
  }

  /**
   * Those of the text_ids whose texts have what the words exclude.
   * @throws as `search` does
   */
  async excluded(state: CollectionAt, words: string, textIds: readonly string[]) {
    const reply = await this.#answer(state, (index, maxWork) => {
      return { do: 'excluded', index, words, textIds, maxWork }
    })
    return new Set('excluded' in reply ? reply.excluded : [])
  }

  /** What the thread says of the index, once that is at the revision of the project. */
  async #answer(
    state: CollectionAt,
    messageFor: (index: number, maxWork: number) => WordMessage,
  ): Promise<Exclude<WordReply, string>> {
    const { collectionId } = state
    const requester = this.#database.requester()
    const isKeyless = requester?.isKeyless === true
    const most = isKeyless ? maxWork.keyless : maxWork.keyed
    const until = performance.now() + patienceMs
    while (performance.now() < until) {
      if (this.#tooLarge.has(collectionId)) throw needsMemory(this.#maxBytes)
      const held = this.#heldFor(state)
      if (held.isReady && held.revision < state.revision) {
        this.#beginUpdate(collectionId, held, state.revision)
      }
      const isReady = held.isReady && held.revision >= state.revision
      if (!isReady && !(await madeSoon(held, state, until))) continue
      // What was committed while it was first read may be missing.
      if (held.revision < state.revision) continue
      const ask = () => this.#ask(messageFor(held.index, most))
      const reply = await this.#limiter.run(ask, requester)
      if (reply === 'too frequent') throw tooFrequent(isKeyless)
      if (typeof reply === 'object') return reply
      if (reply === 'too large') this.#tooLarge.set(collectionId, true)
      this.#drop(collectionId, held)
    }
    throw readAnew()
  }

  /**
   * The places of words in texts.
   * @throws 503 if the thread ends
   */
  async highlights(texts: readonly FoundText[]): Promise<readonly (readonly Highlight[])[]> {
    // A character more than is read says that a text goes on; each has two units at most.
    const begun = texts.map(({ words, text }) => ({ words, text: text.slice(0, 2 * maxRead + 2) }))
    const find = () => this.#ask({ do: 'highlight', texts: begun })
    const reply = await this.#limiter.run(find, this.#database.requester())
    return typeof reply === 'object' && 'highlights' in reply ? reply.highlights : []
  }

  #heldFor({ collectionId, history }: CollectionAt): Held {
    const present = this.#held.get(collectionId)
    const serverHistory = this.#database.history()
    if (present?.history === history && present.serverHistory === serverHistory) {
      this.#held.delete(collectionId)
      this.#held.set(collectionId, present)
      return present
    }
    if (present !== undefined) this.#drop(collectionId, present)
    this.#lastIndex += 1
    const held = { ...empty, index: this.#lastIndex, history, serverHistory, work: this.#reading }
    this.#held.set(collectionId, held)
    this.#bytes += held.bytes
    this.#beginUpdate(collectionId, held, Number.POSITIVE_INFINITY)
    this.#reading = held.work.catch(() => {})
    return held
  }

  /** After what has begun before, unless that has reached the wanted revision. */
  #beginUpdate(collectionId: number, held: Held, wanted: number): void {
    const update = async () => {
      if (held.revision < wanted) await this.#update(collectionId, held, wanted)
    }
    const before = held.work
    const work = this.#forAll(() => before.then(update))
    held.work = work
    work.catch((error) => {
      if (isForWant(error)) this.#tooLarge.set(collectionId, true)
      const isKept = held.isReady && !isForWant(error) && !(error instanceof Dropped)
      if (!isKept) this.#drop(collectionId, held)
      // Where the database could not be asked, the next search tries again.
      else if (held.work === work) held.work = Promise.resolve()
    })
  }

  /** Reads all texts, or what has changed since. @throws Dropped if that is not known */
  async #update(collectionId: number, held: Held, wanted: number): Promise<void> {
    const { db } = this.#database.search
    const [present] = await db
      .select({ revision: collections.revision, history: historyOf(collections) })
      .from(collections)
      .where(eq(collections.collectionId, collectionId))
    if (present?.history !== held.history) throw new Outdated()
    if (Number.isFinite(wanted) && present.revision < wanted) throw new Outdated()
    if (!held.isReady) {
      await this.#put(collectionId, held, [])
      for await (const texts of readAllTexts(db, collectionId)) {
        await this.#put(collectionId, held, texts)
        held.read += texts.length
      }
      this.#checkHistory(held)
      held.revision = present.revision
      held.isReady = true
    }
    // Of very many changes, each time the first ones.
    while (held.revision < present.revision) {
      const changes = await changesAfter(db, collectionId, held.revision, true)
      if (changes === undefined) throw new Dropped()
      for await (const texts of readChanged(db, collectionId, changes.textIds)) {
        await this.#put(collectionId, held, texts)
      }
      this.#checkHistory(held)
      held.revision = changes.revision
    }
  }

  /** @throws Dropped after a failover */
  #checkHistory({ serverHistory }: Held): void {
    if (this.#database.history() !== serverHistory) throw new Dropped()
  }

  /** @throws Dropped if the index is gone, 422 if there is not enough memory */
  async #put(collectionId: number, held: Held, texts: readonly StoredText[]): Promise<void> {
    if (this.#held.get(collectionId) !== held) throw new Dropped()
    const reply = await this.#ask({ do: 'put', index: held.index, texts }).catch(({ cause }) => {
      // Others may have filled the memory.
      const isOwn = held.bytes > this.#maxBytes / 2
      const isFull = cause instanceof ThreadEnded && cause.reason === 'memory'
      throw isFull && isOwn ? needsMemory(this.#maxBytes) : new Dropped()
    })
    if (reply === 'too large') throw needsMemory(this.#maxBytes)
    if (typeof reply !== 'object' || !('bytes' in reply)) throw new Dropped()
    if (this.#held.get(collectionId) !== held) throw new Dropped()
    this.#bytes += fixedBytes + reply.bytes - held.bytes
    held.bytes = fixedBytes + reply.bytes
    if (held.bytes > this.#maxBytes) throw needsMemory(this.#maxBytes)
    this.#makeRoom(held)
  }

  /** Drops what was not searched for longest. */
  #makeRoom(held: Held): void {
    for (const [collectionId, each] of this.#held) {
      if (this.#bytes <= this.#maxBytes) return
      // What waits to be read has nothing yet, and is waited for.
      if (each !== held && each.isReady) this.#drop(collectionId, each)
    }
  }

  #drop(collectionId: number, held: Held): void {
    if (this.#held.get(collectionId) !== held) return
    this.#held.delete(collectionId)
    this.#bytes -= held.bytes
    if (this.#running?.alive) this.#running.tell({ do: 'drop', index: held.index })
  }

  async #keepUp(): Promise<void> {
    const held = [...this.#held]
    if (held.length === 0) return
    const ids = held.map(([collectionId]) => collectionId)
    const left = await inUseOf(this.#database.search.db, ids)
    for (const [collectionId, each] of held) {
      if (!left.has(collectionId)) this.#drop(collectionId, each)
      else if (each.isReady) {
        this.#beginUpdate(collectionId, each, Number.POSITIVE_INFINITY)
        await each.work.catch(() => {})
      }
    }
  }

  /** @throws 503 if the thread ends */
  #ask(message: WordMessage): Promise<WordReply> {
    return this.#thread()
      .ask(message)
      .catch((error) => {
        throw readAnew(error)
      })
  }

  #thread(): WorkerThread<WordMessage, WordReply> {
    if (this.#running?.alive) return this.#running
    const heapMb = 256 + Math.ceil((2 * this.#maxBytes) / 2 ** 20)
    const thread = new WorkerThread<WordMessage, WordReply>(
      workerScript(import.meta.url, './worker.ts'),
      { resourceLimits: { maxOldGenerationSizeMb: heapMb } },
    )
    void thread.exit.then(() => {
      if (this.#running !== thread) return
      for (const [collectionId, held] of this.#held) this.#drop(collectionId, held)
    })
    this.#running = thread
    return thread
  }
}

/**
 * Waits until an index is made.
 * @returns false if it was dropped instead
 * @throws 503 if that takes too long, 422 if it has no room
 */
async function madeSoon(held: Held, { vectors }: CollectionAt, until: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const soon = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const [read, all] = [held.read, vectors].map((count) => count.toLocaleString('en'))
      const progress = `${read} of ${all} embeddings`
      reject(
        notYet(`The words of this project are being read (${progress}); try again in some seconds`),
      )
    }, until - performance.now())
  })
  const made = held.work.then(
    () => true,
    (error) => {
      if (error instanceof Outdated) throw readAnew()
      if (error instanceof Dropped) return false
      throw error
    },
  )
  return await Promise.race([made, soon]).finally(() => clearTimeout(timer))
}

/** Whether an index cannot be made for want of memory. */
const isForWant = (error: unknown) =>
  error instanceof ServiceError && error.kind === 'unprocessable'

function needsMemory(maxBytes: number): ServiceError {
  const limit = `${Math.floor(maxBytes / 2 ** 20)} MB`
  return unprocessable(
    `The words of this project need more memory than this server gives to words, ${limit}; a larger SERVICE_VECTORMEMORY gives more`,
  )
}

const readAnew = (cause?: unknown) =>
  notYet('The words are being read anew; try again in a moment', cause)

/** Only searches by words have to wait. */
const notYet = (detail: string, cause?: unknown) =>
  new ServiceError('unavailable', detail, { cause, retryAfter: 1, sparesOthers: true })

export const tooFrequent = (isKeyless = false) =>
  unprocessable(
    `These words occur too often in the texts of this project; use fewer or rarer words, or an earlier page${isKeyless ? '. A search with a key may do four times as much' : ''}`,
  )

const empty = { revision: 0, bytes: fixedBytes, read: 0, isReady: false }
