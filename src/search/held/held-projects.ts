import { inUseOf } from '../../collections/collections.ts'
import type { Db } from '../../db/database.ts'
import type { HeldProject } from './held-project.ts'

/** What is held to be dropped. */
export class Dropped extends Error {}

/** What threads hold of projects, by collection. */
export class HeldProjects<Entry extends HeldProject> {
  readonly #entries = new Map<number, Entry>()
  readonly #dropped: (entry: Entry) => void

  /** @param dropped is called for each that is not held any more */
  constructor(dropped: (entry: Entry) => void) {
    this.#dropped = dropped
  }

  get bytes(): number {
    return this.all().reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Those that were held or used last are last. */
  all(): Entry[] {
    return [...this.#entries.values()]
  }

  of(collectionId: number): Entry | undefined {
    return this.#entries.get(collectionId)
  }

  /** False if it was dropped meanwhile, and perhaps begun again. */
  has(entry: Entry): boolean {
    return this.#entries.get(entry.collectionId) === entry
  }

  /** Holds it from now on, or notes that it is used. */
  hold(entry: Entry): void {
    this.#entries.delete(entry.collectionId)
    this.#entries.set(entry.collectionId, entry)
  }

  drop(entry: Entry): void {
    if (!this.has(entry)) return
    this.#entries.delete(entry.collectionId)
    this.#dropped(entry)
    entry.end(new Dropped())
  }

  dropAll(): void {
    for (const entry of this.all()) this.drop(entry)
  }

  /** Drops what no project uses any more. @param besides other collections @returns those in use */
  async dropUnused(db: Db, besides: readonly number[] = []): Promise<ReadonlySet<number>> {
    const held = this.all()
    if (held.length + besides.length === 0) return new Set()
    const ids = [...held.map(({ collectionId }) => collectionId), ...besides]
    const used = await inUseOf(db, ids)
    for (const entry of held) if (!used.has(entry.collectionId)) this.drop(entry)
    return used
  }
}
