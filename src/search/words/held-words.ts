import { eq } from 'drizzle-orm'
import { changesAfter } from '../../collections/changes.ts'
import type { Database } from '../../db/database.ts'
import { historyOf } from '../../db/history.ts'
import { collections } from '../../db/schema.ts'
import type { WordReading } from './fair-reading.ts'
import { readAllTexts, readChanged } from './read-texts.ts'
import type { StoredText } from './thread.ts'

/** Of an index besides what it holds. */
export const fixedBytes = 1_000

/** An index that was dropped, or that must be: the next one is read anew. */
export class Dropped extends Error {}
/** The project is not as a search has found it, so a next one would be dropped too. */
export class Outdated extends Dropped {}

/** What a search needs to know of its project: what was committed before it began. */
export interface WordsAt {
  readonly collectionId: number
  readonly revision: number
  readonly history: string
  readonly vectors: number
}

/** Reading all that is there when it begins: what those who wait for it learn. */
interface Attempt {
  isOver: boolean
  /** Why it failed. */
  error?: unknown
}

interface Tools {
  readonly database: Pick<Database, 'search' | 'history'>
  /** Runs work apart from the context of the requester whose turn it is: others wait for it too. */
  readonly forAll: (work: () => Promise<boolean>) => Promise<boolean>
  /** Adds texts to the index. @throws Dropped if it is gone, 422 if there is not enough memory */
  readonly put: (held: HeldWords, texts: readonly StoredText[]) => Promise<void>
  /** Called when the reading has failed. */
  readonly failed: (held: HeldWords, error: unknown) => void
}

/** The index of one project's words in the thread, and how far it has been read. */
export class HeldWords implements WordReading {
  /** Names this index to the thread: of the same project, there may be an older one. */
  readonly index: number
  readonly collectionId: number
  readonly history: string
  /** Of the server: revisions of before a failover may stand for other texts. */
  readonly serverHistory: number
  readonly #hasMadeRoom: boolean
  /** Everything up to this revision is in the index. */
  revision = 0
  bytes = fixedBytes
  isReady = false
  left: number
  readonly #tools: Tools
  #wanted = 0
  #attempt: Attempt = { isOver: false }
  #steps: AsyncGenerator<void, void> | undefined
  #step: Promise<boolean> | undefined

  constructor(
    tools: Tools,
    { collectionId, history, vectors }: WordsAt,
    named: Pick<HeldWords, 'index' | 'serverHistory'> & { readonly hasMadeRoom: boolean },
  ) {
    this.#tools = tools
    this.collectionId = collectionId
    this.history = history
    this.left = vectors
    this.index = named.index
    this.serverHistory = named.serverHistory
    this.#hasMadeRoom = named.hasMadeRoom
  }

  get isAgain(): boolean {
    return this.#hasMadeRoom && !this.isReady
  }

  has(revision: number): boolean {
    return this.isReady && this.revision >= revision
  }

  /**
   * What begins, or goes on.
   * @param wanted a revision that was seen in the database
   */
  attempt(wanted: number): Readonly<Attempt> {
    this.#wanted = Math.max(this.#wanted, wanted)
    return this.#attempt
  }

  step(): Promise<boolean> {
    this.#step ??= this.#tools
      .forAll(() => this.#takeStep())
      .finally(() => {
        this.#step = undefined
      })
    return this.#step
  }

  async #takeStep(): Promise<boolean> {
    this.#steps ??= this.#read()
    try {
      const { done } = await this.#steps.next()
      if (done === true) this.end()
      return done !== true
    } catch (error) {
      this.end(error)
      this.#tools.failed(this, error)
      return false
    }
  }

  /** Ends the attempt. A next one begins anew. */
  end(error?: unknown): void {
    this.#attempt.isOver = true
    this.#attempt.error = error
    this.#attempt = { isOver: false }
    this.#steps = undefined
  }

  /** Reads all texts, or what has changed since. @throws Dropped if that is not known */
  async *#read(): AsyncGenerator<void, void> {
    const { collectionId } = this
    const { put, database } = this.#tools
    const { db } = database.search
    const [present] = await db
      .select({ revision: collections.revision, history: historyOf(collections) })
      .from(collections)
      .where(eq(collections.collectionId, collectionId))
    if (present?.history !== this.history) throw new Outdated()
    if (present.revision < this.#wanted) throw new Outdated()
    if (!this.isReady) {
      await put(this, [])
      for await (const texts of readAllTexts(db, collectionId)) {
        await put(this, texts)
        this.left = Math.max(0, this.left - texts.length)
        yield
      }
      this.#checkHistory()
      this.revision = present.revision
      this.isReady = true
    }
    // Of very many changes, each time the first ones.
    while (this.revision < present.revision) {
      const changes = await changesAfter(db, collectionId, this.revision, true)
      if (changes === undefined) throw new Dropped()
      this.left = changes.textIds.length
      for await (const texts of readChanged(db, collectionId, changes.textIds)) {
        await put(this, texts)
        this.left -= texts.length
        yield
      }
      this.#checkHistory()
      this.revision = changes.revision
    }
    this.left = 0
  }

  /** @throws Dropped after a failover */
  #checkHistory(): void {
    if (this.#tools.database.history() !== this.serverHistory) throw new Dropped()
  }
}
