import { changesAfter } from '../../collections/changes.ts'
import type { Database } from '../../db/database.ts'
import { type CollectionState, readState } from '../held/collection-state.ts'
import {
  type Attempt,
  HeldProject,
  type outsideRequests,
  type ToHold,
} from '../held/held-project.ts'
import { Dropped } from '../held/held-projects.ts'
import { readAllTexts, readChanged } from './read-texts.ts'
import type { StoredText } from './thread.ts'

/** Of an index besides what it holds. */
export const fixedBytes = 1_000

/** The project is not as a search has found it, so a next one would be dropped too. */
export class Outdated extends Dropped {}

/** What a search needs to know of its project: what was committed before it began. */
export type WordsAt = Omit<CollectionState, 'dimensions'>

export interface HeldWordsTools {
  readonly database: Pick<Database, 'search' | 'history'>
  readonly forAll: ReturnType<typeof outsideRequests>
  /** Adds texts to the index. @throws Dropped if it is gone, 422 if there is not enough memory */
  readonly put: (held: HeldWords, texts: readonly StoredText[]) => Promise<void>
  /** Called when the reading has failed. */
  readonly failed: (held: HeldWords, error: unknown) => void
}

/** The index of one project's words in the thread, and how far it has been read. */
export class HeldWords extends HeldProject {
  /** Names this index to the thread: of the same project, there may be an older one. */
  readonly index: number
  /** Everything up to this revision is in the index. */
  revision = 0
  override bytes = fixedBytes
  readonly #tools: HeldWordsTools
  #wanted = 0

  constructor(tools: HeldWordsTools, toHold: ToHold, index: number) {
    super(toHold, tools.forAll)
    this.#tools = tools
    this.index = index
  }

  has(revision: number): boolean {
    return this.isReady && this.revision >= revision
  }

  /**
   * What begins, or goes on.
   * @param wanted a revision that was seen in the database
   */
  attemptAt(wanted: number): Readonly<Attempt> {
    this.#wanted = Math.max(this.#wanted, wanted)
    return this.attempt
  }

  protected failed(error: unknown): void {
    this.#tools.failed(this, error)
  }

  /** Reads all texts, or what has changed since. @throws Dropped if that is not known */
  protected async *read(): AsyncGenerator<void, void> {
    const { collectionId } = this
    const { put, database } = this.#tools
    const { db } = database.search
    const present = await readState(db, collectionId)
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
