import type { ArrayReader } from './array-file.ts'

/** Parts of one thing that are still in a file, by their places. */
export class PartsInFile {
  readonly #reads = new Map<number, () => Uint8Array<ArrayBuffer>>()

  /** Leaves the next parts of a file there. */
  leave(file: ArrayReader, count: number): void {
    for (let place = 0; place < count; place += 1) this.#reads.set(place, file.later())
  }

  /** @returns undefined if it is not in the file, or was read @throws Error if it is not as it was written */
  read(place: number): Uint8Array<ArrayBuffer> | undefined {
    const bytes = this.#reads.get(place)?.()
    this.#reads.delete(place)
    return bytes
  }

  /** The places of those that are not read yet, also while they are read. */
  places(): Iterable<number> {
    return this.#reads.keys()
  }
}
