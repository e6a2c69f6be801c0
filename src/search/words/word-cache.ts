import { LRUCache } from 'lru-cache'
import { Limiter } from '../../concurrency/limiter.ts'
import { PeriodicTask } from '../../concurrency/periodic-task.ts'
import { workerScript } from '../../concurrency/worker-script.ts'
import { ThreadEnded, WorkerThread } from '../../concurrency/worker-thread.ts'
import type { Database } from '../../db/database.ts'
import type { Page } from '../../db/page.ts'
import { FairReading } from '../held/fair-reading.ts'
import { Dropped, HeldProjects } from '../held/held-projects.ts'
import { StartedThread } from '../held/started-thread.ts'
import { fixedBytes, HeldWords, Outdated, readWords, type WordsAt } from './held-words.ts'
import { type Highlight, maxRead } from './highlights.ts'
import { beingRead, isForWant, needsMemory, readAnew, tooFrequent } from './refusal-messages.ts'
import type {
  FoundText,
  SoughtWords,
  StoredText,
  WordMessage,
  WordQuestion,
  WordReply,
  WordStatistics,
} from './thread.ts'

const remembered = { max: 1_000, ttl: 10 * 60_000 }
/** The work of a search: about a second's; with a key, and without one. */
const mostWork = { keyed: 30_000_000, keyless: 7_500_000 }
/** For how long a search waits for an index that is being made. */
const patienceMs = 10_000
/** Others' changes are read each minute, since they are noted for some minutes only. */
const times = { everyMs: 60_000, soonMs: 1_000, retryMs: 5_000 }

/**
 * Keeps an index of the words of each project that is searched by words. It is read from the texts
 * on the first search. Each search brings it up to date before it is answered, so that uploads
 * have no work with it.
 */
export class WordCache extends PeriodicTask {
  readonly #database: Pick<Database, 'search' | 'requester' | 'history'>
  readonly #maxBytes: number
  readonly #held = new HeldProjects<HeldWords>(({ index }) =>
    this.#thread.tellIfAlive({ do: 'drop', index }),
  )
  /** Projects that need more memory than there is. */
  readonly #tooLarge = new LRUCache<number, true>(remembered)
  /** Projects that have made room for others. */
  readonly #droppedForRoom = new LRUCache<number, true>(remembered)
  #dropped = 0
  /** Requesters take turns at the thread, which works on a slice of one search after another. */
  readonly #limiter = new Limiter({ maxConcurrent: 4, queueTimeoutMs: 10_000, maxQueue: 1_000 })
  readonly #reading = new FairReading()
  /** What nobody waited for a minute ago, and how much of it was left. */
  #idle: ReadonlyMap<HeldWords, number> = new Map()
  readonly #thread: StartedThread<WordMessage, WordReply>
  #lastIndex = 0

  /** @param maxBytes for all indexes together */
  constructor(database: Pick<Database, 'search' | 'requester' | 'history'>, maxBytes: number) {
    super(times)
    this.#database = database
    this.#maxBytes = maxBytes
    const maxOldGenerationSizeMb = 256 + Math.ceil((2 * maxBytes) / 2 ** 20)
    const script = workerScript(import.meta.url, './worker.ts')
    this.#thread = new StartedThread(
      () => new WorkerThread(script, { resourceLimits: { maxOldGenerationSizeMb } }),
      () => this.#held.dropAll(),
    )
  }

  /**
   * A page of the documents that match best, and how many match in all.
   * @throws 503 while the texts are being read, 422 if there is not enough memory for them, or if the
   *   words occur too often
   */
  async search(state: WordsAt, sought: SoughtWords, page: Page, kept?: string) {
    const reply = await this.#answer(state, { ...sought, page, kept })
    return 'found' in reply ? reply : { found: [], total: 0 }
  }

  /**
   * What ranking by the words has to know of the texts.
   * @throws as `search` does
   */
  async statistics(state: WordsAt, words: string): Promise<WordStatistics> {
    const reply = await this.#answer(state, { words, isCounted: true })
    const none = { documents: 0, length: 0, frequencies: [] }
    return 'statistics' in reply ? reply.statistics : none
  }

  /**
   * Those of the text_ids whose texts have what the words exclude.
   * @throws as `search` does
   */
  async excluded(state: WordsAt, words: string, textIds: readonly string[]) {
    const reply = await this.#answer(state, { words, textIds })
    return new Set('excluded' in reply ? reply.excluded : [])
  }

  /** What the thread says of the index, once that is at the revision of the project. */
  async #answer(state: WordsAt, asked: WordQuestion): Promise<Exclude<WordReply, string>> {
    const { collectionId } = state
    const isKeyless = this.#database.requester()?.isKeyless === true
    const maxWork = isKeyless ? mostWork.keyless : mostWork.keyed
    const until = performance.now() + patienceMs
    while (performance.now() < until) {
      if (this.#tooLarge.has(collectionId)) throw needsMemory(this.#maxBytes)
      const held = this.#heldFor(state)
      if (!held.has(state.revision) && !(await this.#madeSoon(held, state, until))) continue
      const reply = await this.#ask({ do: 'search', index: held.index, asked, maxWork })
      if (reply === 'too frequent') throw tooFrequent(isKeyless)
      if (typeof reply === 'object') return reply
      if (reply === 'too large') this.#tooLarge.set(collectionId, true)
      this.#held.drop(held)
    }
    throw readAnew()
  }

  /** What is in memory, what searches wait for, and how much has made room. */
  usage() {
    const { bytes } = this.#held
    const projects = this.#held.all().filter(({ isReady }) => isReady).length
    return { bytes, projects, dropped: this.#dropped, awaited: this.#reading.awaited() }
  }

  /**
   * The places of words in texts.
   * @throws 503 if the thread ends
   */
  async highlights(texts: readonly FoundText[]): Promise<readonly (readonly Highlight[])[]> {
    // A character more than is read says that a text goes on; each has two units at most.
    const begun = texts.map(({ words, text }) => ({ words, text: text.slice(0, 2 * maxRead + 2) }))
    const reply = await this.#ask({ do: 'highlight', texts: begun })
    return typeof reply === 'object' && 'highlights' in reply ? reply.highlights : []
  }

  /** @throws 503 if the thread ends */
  #ask(message: WordMessage): Promise<WordReply> {
    const ask = () =>
      this.#thread.ask(message).catch((error) => {
        throw readAnew(error)
      })
    return this.#limiter.run(ask, this.#database.requester())
  }

  #heldFor(state: WordsAt): HeldWords {
    const { collectionId, history } = state
    const present = this.#held.of(collectionId)
    const serverHistory = this.#database.history()
    if (present?.history === history && present.serverHistory === serverHistory) {
      this.#held.hold(present)
      return present
    }
    if (present !== undefined) this.#held.drop(present)
    const hasMadeRoom = this.#droppedForRoom.has(collectionId)
    const toHold = { ...state, serverHistory, hasMadeRoom }
    this.#lastIndex += 1
    const held: HeldWords = new HeldWords(toHold, this.#lastIndex, {
      read: () => readWords(held, this.#database, (texts) => this.#put(held, texts)),
      failed: (error) => this.#failed(held, error),
    })
    this.#held.hold(held)
    return held
  }

  /**
   * Waits until an index has what a search needs.
   * @returns false if it has not, because it was dropped or more was changed meanwhile
   * @throws 503 if that takes too long, 422 if it has no room
   */
  async #madeSoon(held: HeldWords, { revision, vectors }: WordsAt, until: number) {
    const { attempt } = held
    held.wanted = Math.max(held.wanted, revision)
    const isOver = () => held.has(revision) || attempt.isOver
    const requester = this.#database.requester()
    const isInTime = await this.#reading.waitFor(held, isOver, requester, until)
    if (!isInTime) throw beingRead(vectors - held.left, vectors, this.#reading.awaited(held))
    const { error } = attempt
    if (error === undefined) return held.has(revision)
    if (error instanceof Outdated) throw readAnew()
    if (error instanceof Dropped) return false
    throw error
  }

  #failed(held: HeldWords, error: unknown): void {
    if (isForWant(error)) this.#tooLarge.set(held.collectionId, true)
    // Where the database could not be asked, the next search tries again.
    const isKept = held.isReady && !isForWant(error) && !(error instanceof Dropped)
    if (!isKept) this.#held.drop(held)
  }

  /** @throws Dropped if the index is gone, 422 if there is not enough memory */
  async #put(held: HeldWords, texts: readonly StoredText[]): Promise<void> {
    if (!this.#held.has(held)) throw new Dropped()
    const asked = this.#thread.ask({ do: 'put', index: held.index, texts })
    const reply = await asked.catch((cause) => {
      // Others may have filled the memory.
      const isOwn = held.bytes > this.#maxBytes / 2
      const isFull = cause instanceof ThreadEnded && cause.reason === 'memory'
      return isFull && isOwn ? 'too large' : 'gone'
    })
    if (reply === 'too large') throw needsMemory(this.#maxBytes)
    const isAdded = typeof reply === 'object' && 'bytes' in reply
    if (!isAdded || !this.#held.has(held)) throw new Dropped()
    held.bytes = fixedBytes + reply.bytes
    if (held.bytes > this.#maxBytes) throw needsMemory(this.#maxBytes)
    this.#makeRoom(held)
  }

  /**
   * Drops what nobody waits for before it is read; then what was not searched for longest; then
   * what has most left to be read, but not the one with the least, so that some reading ends.
   */
  #makeRoom(held: HeldWords): void {
    const all = this.#held.all()
    const ready = all.filter((each) => each.isReady && each !== held)
    const unread = all.filter(({ isReady }) => !isReady).sort((a, b) => b.left - a.left)
    const awaited = unread.filter((each) => this.#reading.isAwaited(each))
    const idle = unread.filter((each) => !awaited.includes(each))
    for (const each of [...idle, ...ready, ...awaited.slice(0, -1)]) {
      if (this.#held.bytes <= this.#maxBytes) return
      this.#droppedForRoom.set(each.collectionId, true)
      this.#dropped += 1
      this.#held.drop(each)
    }
  }

  protected override async work(): Promise<void> {
    await this.#held.dropUnused(this.#database.search.db)
    const held = this.#held.all()
    // Whoever was answered 503 may come back; what is not read any further then keeps no memory.
    const idle = held.filter((each) => !each.isReady && !this.#reading.isAwaited(each))
    const wasIdle = this.#idle
    this.#idle = new Map(idle.map((each) => [each, each.left]))
    for (const each of held) {
      if (this.#idle.has(each) && wasIdle.get(each) === each.left) this.#held.drop(each)
      else if (each.isReady) {
        const { attempt } = each
        const until = performance.now() + times.everyMs
        await this.#reading.waitFor(each, () => attempt.isOver, undefined, until)
      }
    }
  }
}
