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
export abstract class PeriodicTask {
  /** Whether `stop` was called, also during a run. */
  protected isStopped = false
  readonly #work: () => Promise<void>
  readonly #times: TaskTimes
  #timer: NodeJS.Timeout | undefined
  #dueAt = Number.POSITIVE_INFINITY
  #running = false
  #started = false
  #failing = false

  constructor(times: TaskTimes) {
    this.#times = times
    // A run is not on behalf of the request that asks for it: the request's end would cancel it.
    this.#work = AsyncResource.bind(() => this.work())
  }

  /** One run. */
  protected abstract work(): Promise<void>

  /** Called when a run fails, but not again before one has succeeded. */
  protected failed(_error: unknown): void {
    // An unreachable database is reported elsewhere.
  }

  /** Runs at once, and then again and again until `stop`. */
  start(): void {
    this.#started = true
    void this.#run()
  }

  stop(): void {
    this.isStopped = true
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
      if (!this.#failing) this.failed(error)
      this.#failing = true
    }
  }
}
