import { type ServiceError, unavailable } from './errors.ts'

export interface TurnLimits {
  /** Tasks that run at the same time. */
  readonly atOnce: number
  /** How long a task waits for its turn before it is refused. */
  readonly patienceMs: number
  /** Tasks that may wait; more are refused at once. */
  readonly waiting: number
}

/** How busy it is now, and what has been waited for since the start. */
export interface TurnLoad {
  readonly atOnce: number
  readonly running: number
  readonly waiting: number
  /** Tasks that had to wait, and for how long in total. */
  readonly waits: number
  readonly waitedMs: number
  /** Tasks that were refused. */
  readonly refused: number
}

/**
 * Lets a bounded number of tasks run, in the order of their arrival, and refuses those that would
 * wait for too long: a queue without bounds turns an overload into a standstill.
 */
export class Turns {
  readonly #limits: TurnLimits
  readonly #queue = new Set<() => void>()
  #running = 0
  #waits = 0
  #waitedMs = 0
  #refused = 0

  constructor(limits: TurnLimits) {
    this.#limits = limits
  }

  get load(): TurnLoad {
    return {
      atOnce: this.#limits.atOnce,
      running: this.#running,
      waiting: this.#queue.size,
      waits: this.#waits,
      waitedMs: this.#waitedMs,
      refused: this.#refused,
    }
  }

  /** @throws 503 when the task's turn does not come in time */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limits.atOnce) this.#running += 1
    else await this.#turn()
    try {
      return await task()
    } finally {
      this.#pass()
    }
  }

  #turn(): Promise<void> {
    const { patienceMs, waiting } = this.#limits
    if (this.#queue.size >= waiting) return Promise.reject(this.#busy())
    this.#waits += 1
    const since = performance.now()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#queue.delete(start)
        this.#waitedMs += patienceMs
        reject(this.#busy())
      }, patienceMs)
      const start = () => {
        clearTimeout(timer)
        this.#waitedMs += performance.now() - since
        resolve()
      }
      this.#queue.add(start)
    })
  }

  /** Hands the turn to the task that has waited longest. */
  #pass(): void {
    const [next] = this.#queue
    if (next === undefined) {
      this.#running -= 1
      return
    }
    this.#queue.delete(next)
    next()
  }

  #busy(): ServiceError {
    this.#refused += 1
    return unavailable('The service is busy; try again in a moment')
  }
}
