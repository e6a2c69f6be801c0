import { changesAfter } from '../../collections/changes.ts'
import type { Database } from '../../db/database.ts'
import { type CollectionState, readState } from '../held/collection-state.ts'
import { HeldProject, type Reads, type ToHold } from '../held/held-project.ts'
import { Dropped } from '../held/held-projects.ts'
import { readAllTexts, readChanged } from './read-texts.ts'
import type { StoredText } from './thread.ts'

/** Of an index besides what it holds. */
export const fixedBytes = 1_000

/** The project is not as a search has found it, so a next one would be dropped too. */
export class Outdated extends Dropped {}

/** What a search needs to know of its project: what was committed before it began. */
export type WordsAt = Omit<CollectionState, 'dimensions'>

/** The index of one project's words in the thread, and how far it has been read. */
export class HeldWords extends HeldProject {
  /** Names this index to the thread: of the same project, there may be an older one. */
  readonly index: number
  /** Everything up to this revision is in the index. */
  revision = 0
  /** The latest revision that was seen in the database. */
  wanted = 0
  override bytes = fixedBytes

  constructor(toHold: ToHold, index: number, reads: Reads) {
    super(toHold, reads)
    this.index = index
  }

  has(revision: number): boolean {
    return this.isReady && this.revision >= revision
  }
}

/**
 * Reads all texts, or what has changed since.
 * @param put adds texts to the index
 * @throws Dropped if what has changed is not known, or after a failover
 */
export async function* readWords(
  held: HeldWords,
  database: Pick<Database, 'search' | 'history'>,
  put: (texts: readonly StoredText[]) => Promise<void>,
): AsyncGenerator<void, void> {
  const { collectionId } = held
  const { db } = database.search
  const present = await readState(db, collectionId)
  if (present?.history !== held.history) throw new Outdated()
  if (present.revision < held.wanted) throw new Outdated()

  async function* putAll(groups: AsyncIterable<StoredText[]>): AsyncGenerator<void, void> {
    for await (const texts of groups) {
      await put(texts)
      held.left = Math.max(0, held.left - texts.length)
      yield
    }
    if (database.history() !== held.serverHistory) throw new Dropped()
  }

  if (!held.isReady) {
    await put([])
    yield* putAll(readAllTexts(db, collectionId))
    held.revision = present.revision
    held.isReady = true
  }
  // Of very many changes, each time the first ones.
  while (held.revision < present.revision) {
    const changes = await changesAfter(db, collectionId, held.revision, true)
    if (changes === undefined) throw new Dropped()
    held.left = changes.textIds.length
    yield* putAll(readChanged(db, collectionId, changes.textIds))
    held.revision = changes.revision
  }
  held.left = 0
}
