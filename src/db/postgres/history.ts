/**
 * Finds out with each new connection whether the server is still the same: see `Database.history`.
 */
export class History {
  /** The start time of the server, which is another one after a failover. */
  readonly query = 'select pg_postmaster_start_time()::text'
  #start: unknown
  #number = 0

  get number(): number {
    return this.#number
  }

  /** @param row the row that `query` selects */
  check(row: unknown): void {
    const [start] = Array.isArray(row) ? row : []
    if (this.#start !== undefined && start !== this.#start) this.#number += 1
    this.#start = start
  }
}
