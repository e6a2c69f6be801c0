import { AsyncResource } from 'node:async_hooks'

interface TaskTimes {
  /** How often it runs without being asked for. */
  readonly everyMs: number
  /** How soon it runs after it was asked for. */
  readonly soonMs: number
  /** How soon it runs again after a failed run, whose work is still to be done. */
  readonly retryMs: number
}

/** Work in the background: one run after another, at intervals and soon after it is asked for. */
export class PeriodicTask {
  readonly #work: () => Promise<void>
  readonly #times: TaskTimes
  readonly #report: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #dueAt = Number.POSITIVE_INFINITY
  #running = false
  #started = false
  #failing = false

  /** @param report is called when a run fails, but not again before one has succeeded */
  constructor(times: TaskTimes, work: () => Promise<void>, report: (error: unknown) => void) {
    this.#times = times
    this.#report = report
    // A run is not on behalf of the request that asks for it: the request's end would cancel it.
    this.#work = AsyncResource.bind(work)
  }

  /** Runs at once, and then again and again until `stop`. */
  start(): void {
    this.#started = true
    void this.#run()
  }

  stop(): void {
    this.#started = false
    clearTimeout(this.#timer)
  }

  /** Asks for a run, soon or in `ms`. It has no effect before `start`. */
  wake(ms = this.#times.soonMs): void {
    this.#schedule(ms)
  }

  #schedule(ms: number): void {
    const at = performance.now() + ms
    if (!this.#started || at >= this.#dueAt) return
    this.#dueAt = at
    // A run that is asked for during another one comes after it.
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
    // This holds even if the failed run asked for another one, which would fail again at once.
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
