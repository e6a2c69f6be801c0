import { AsyncResource } from 'node:async_hooks'

interface TaskTimes {
  /** How often it runs though nobody has asked for it. */
  readonly everyMs: number
  /** How soon it runs when it was asked for. */
  readonly soonMs: number
  /** How soon it runs again after a run that failed: what it was asked for is still to be done. */
  readonly retryMs: number
}

/** Work in the background: one run after another, every so often and soon after it is asked for. */
export class PeriodicTask {
  readonly #work: () => Promise<void>
  readonly #times: TaskTimes
  readonly #report: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #dueAt = Number.POSITIVE_INFINITY
  #running = false
  #started = false
  #failing = false

  /** @param report is told why a run failed, but not again before one has succeeded */
  constructor(times: TaskTimes, work: () => Promise<void>, report: (error: unknown) => void) {
    this.#times = times
    this.#report = report
    // Not on behalf of the request that asks for a run: its end would cancel it.
    this.#work = AsyncResource.bind(work)
  }

  /** Runs at once, and from then on until `stop`. */
  start(): void {
    this.#started = true
    void this.#run()
  }

  stop(): void {
    this.#started = false
    clearTimeout(this.#timer)
  }

  /** Asks for a run, soon or in `ms`; nothing happens before `start`. */
  wake(ms = this.#times.soonMs): void {
    this.#schedule(ms)
  }

  #schedule(ms: number): void {
    const at = performance.now() + ms
    if (!this.#started || at >= this.#dueAt) return
    this.#dueAt = at
    // What is asked for during a run comes after it.
    if (this.#running) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#run(), ms)
    this.#timer.unref()
  }

  async #run(): Promise<void> {
    this.#running = true
    this.#dueAt = Number.POSITIVE_INFINITY
    await this.#attempt()
    this.#running = false
    const wait = Math.max(0, this.#dueAt - performance.now())
    this.#dueAt = Number.POSITIVE_INFINITY
    const { everyMs, retryMs } = this.#times
    // Also where the run itself has asked for another one, or it would fail again at once, and again.
    this.#schedule(this.#failing ? retryMs : Math.min(wait, everyMs))
  }

  async #attempt(): Promise<void> {
    try {
      await this.#work()
      this.#failing = false
    } catch (error) {
      if (!this.#failing) this.#report(error)
      this.#failing = true
    }
  }
}
