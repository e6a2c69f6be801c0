import { LRUCache } from 'lru-cache'

const maxKept = 1_000

type Rows = { readonly rows: unknown[] }

interface Kept {
  readonly generation: number
  readonly result: Rows
}

/** Keeps the answers of reads until something is written, which all goes through the one engine. */
export class RememberedReads {
  readonly #kept = new LRUCache<string, Kept>({ max: maxKept })
  readonly #generation: () => number

  /** @param generation changes before and after whatever may write */
  constructor(generation: () => number) {
    this.#generation = generation
  }

  async read(text: string, params: unknown[], run: () => Promise<Rows>): Promise<Rows> {
    const key = JSON.stringify(params) + text
    const generation = this.#generation()
    const kept = this.#kept.get(key)
    if (kept?.generation === generation) return kept.result
    const result = await run()
    // What was written meanwhile may have been before or after it.
    if (this.#generation() === generation) this.#kept.set(key, { generation, result })
    return result
  }
}
