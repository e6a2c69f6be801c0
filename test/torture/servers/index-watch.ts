import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { type FoundIndex, listIndexes } from './indexes.ts'

const pollMs = 100

/** One index from the moment when it was first seen; what was built again has another oid. */
export interface Life {
  readonly index: FoundIndex
  readonly since: number
  until: number | undefined
}

/** Looks at the catalog all the time, and remembers every index that came and went. */
export class IndexWatch {
  readonly #sql: postgres.Sql
  readonly #lives = new Map<number, Life>()
  #running: Promise<void> | undefined
  #stopping = false
  /** When something last came or went. */
  changedAt = performance.now()

  constructor(sql: postgres.Sql) {
    this.#sql = sql
  }

  start(): void {
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#running
  }

  get lives(): readonly Life[] {
    return [...this.#lives.values()]
  }

  async #run(): Promise<void> {
    for (; !this.#stopping; await sleep(pollMs)) await this.#look()
  }

  async #look(): Promise<void> {
    const found = await listIndexes(this.#sql)
    const now = performance.now()
    for (const index of found) {
      if (this.#lives.has(index.oid)) continue
      this.#lives.set(index.oid, { index, since: now, until: undefined })
      this.changedAt = now
    }
    const there = new Set(found.map(({ oid }) => oid))
    for (const [oid, life] of this.#lives) {
      if (there.has(oid) || life.until !== undefined) continue
      life.until = now
      this.changedAt = now
    }
  }
}
