import type { HeldVectors } from './held-vectors.ts'
import type { VectorTools } from './vector-reading.ts'

/** A collection is written once it has not changed for this long. */
const restMs = 30_000
/** Writing a collection again and again may take at most this share of the time. */
const partOfWriting = 1 / 20

/** Writes files of collections in the cache thread, and removes those of collections that are gone. */
export class VectorWriting {
  readonly #tools: VectorTools
  #written = Promise.resolve()
  /** Operators are told once. */
  #isFailing = false

  constructor(tools: VectorTools) {
    this.#tools = tools
  }

  /** Drops collections that no project uses any more, and their files. */
  async clean(): Promise<void> {
    const { database, room, files } = this.#tools
    const names = (await files?.names()) ?? []
    const ids = names.map(({ collectionId }) => collectionId)
    const used = await room.held.dropUnused(database.search.db, ids)
    // Another process may have written others since.
    await files?.clean(names.filter(({ collectionId }) => !used.has(collectionId)))
  }

  /**
   * Writes files of large collections that have changed since and are at rest, after those that are
   * being written.
   * @param isLast whether the process ends: then all that have changed, the largest first
   */
  write(isLast: boolean): Promise<void> {
    const written = this.#written.then(() => this.#write(isLast))
    this.#written = written.catch(() => {})
    return written
  }

  async #write(isLast: boolean): Promise<void> {
    const { database, thread, room, files } = this.#tools
    if (files === undefined) return
    const due = room.held
      .all()
      .filter((held) => this.#isDue(held, isLast))
      .sort((a, b) => b.bytes - a.bytes)
    for (const held of due) {
      if (held.serverHistory !== database.history() || !room.held.has(held)) continue
      const start = performance.now()
      const isWritten = await files
        .write(thread, held, isLast)
        .catch((error) => this.#failed(error))
      if (isWritten) {
        held.writtenAt = start
        this.#isFailing = false
      }
      held.writeAfter = performance.now() + (performance.now() - start) / partOfWriting
    }
  }

  /** The folder may not be there, or may not be written to. */
  #failed(cause: unknown): false {
    if (!this.#isFailing) this.#tools.log.warn('writing files of vectors', { cause })
    this.#isFailing = true
    return false
  }

  #isDue(held: HeldVectors, isLast: boolean): boolean {
    const { fewestComponents = 0 } = this.#tools.files ?? {}
    if (!held.isReady || held.vectors * held.dimensions < fewestComponents) return false
    if (held.changedAt <= held.writtenAt) return false
    const now = performance.now()
    return isLast || (now >= held.changedAt + restMs && now >= held.writeAfter)
  }
}
