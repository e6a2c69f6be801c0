import { createPause } from '../../../concurrency/pause.ts'
import type { Change, Wanted, Wish } from '../../proposer.ts'
import type { Result } from '../messages.ts'
import { Collection, type Proposals } from './collection.ts'
import { compileKernels } from './kernels.ts'
import { Loaded } from './loaded.ts'
import { readRows } from './read-rows.ts'
import { bytesOfId } from './size.ts'

/** What is done beside statements holds them up no longer than this. */
const sliceMs = 3

/**
 * The vectors in the engine's thread, where what is proposed can be ranked at once. All functions take their
 * collection by its id; one that is not kept is no error, since another thread may have been before this one.
 */
export class Keeper {
  /** Made when it is needed: where it cannot be made nothing is kept. */
  #module: WebAssembly.Module | undefined
  readonly #exactBudget: number
  readonly #loaded = new Map<number, Loaded>()
  #isMaking = false

  /** @param exactBudget components (vectors × dimensions) above which not all vectors are compared */
  constructor(exactBudget: number) {
    this.#exactBudget = exactBudget
  }

  /** Rows will follow that are read after this revision was. */
  begin(collectionId: number, dimensions: number, revision: number): void {
    this.#loaded.delete(collectionId)
    try {
      this.#module ??= compileKernels()
      const collection = new Collection(this.#module, dimensions, this.#exactBudget)
      this.#loaded.set(collectionId, new Loaded(collection, revision))
    } catch {
      // Where there is no memory for it the database goes on.
    }
  }

  /**
   * Takes in some of the rows, (text_id, vector) in the binary format of COPY.
   * @returns how many these were, the last of their text_ids, and what all of these take in memory
   */
  load(collectionId: number, bytes: Uint8Array): NonNullable<Result['copied']> {
    const rows = readRows(bytes)
    this.#attempt(collectionId, (loaded) => {
      for (const { textId, vector } of rows) loaded.load(textId, vector)
    })
    const idBytes = rows.reduce((sum, { textId }) => sum + bytesOfId(textId), 0)
    return { count: rows.length, last: rows.at(-1)?.textId ?? '', idBytes }
  }

  /** There are no more rows. */
  complete(collectionId: number): void {
    this.#attempt(collectionId, (loaded) => loaded.complete())
    void this.#makeCodes()
  }

  change(change: Change): void {
    this.#attempt(change.collectionId, (loaded) => loaded.change(change))
    void this.#makeCodes()
  }

  drop(collectionId: number): void {
    this.#loaded.delete(collectionId)
  }

  /**
   * @param revision what was committed up to here must have been taken in
   * @returns 'gone' when the collection is not kept, 'behind' when a change is missing, 'none' when nothing can be told
   */
  propose({ collectionId, dimensions, revision }: Kept, wish: Wish): Proposals | Unknown {
    let proposals: Proposals | Unknown = 'gone'
    this.#attempt(collectionId, (loaded) => {
      if (loaded.dimensions === dimensions) proposals = loaded.propose(revision, wish)
    })
    return proposals
  }

  /** Where there is no more memory the collection is given up, and the database goes on. */
  #attempt(collectionId: number, work: (loaded: Loaded) => void): void {
    const loaded = this.#loaded.get(collectionId)
    try {
      if (loaded !== undefined) work(loaded)
    } catch {
      this.#loaded.delete(collectionId)
    }
  }

  /** One collection after another, in the pauses between requests. */
  async #makeCodes(): Promise<void> {
    if (this.#isMaking) return
    this.#isMaking = true
    for (;;) {
      const next = [...this.#loaded].find(([, each]) => each.needsCodes())
      if (next === undefined) break
      const [collectionId, loaded] = next
      await loaded.makeCodes(createPause(sliceMs)).catch(() => this.drop(collectionId))
    }
    this.#isMaking = false
  }
}

/** What a search has found of its collection. */
export type Kept = Omit<Wanted, 'vectors'>

/** Why nothing is proposed. */
export type Unknown = 'gone' | 'behind' | 'none'
