import { unavailable } from '../errors.ts'

export interface TurnLimits {
  /** Tasks that run at the same time. */
  readonly atOnce: number
  /** How long a task waits for its turn before it is refused. */
  readonly patienceMs: number
  /** Tasks that may wait; more are refused at once. */
  readonly waiting: number
}

/**
 * Lets a bounded number of tasks run, in the order of their arrival, and refuses those that would
 * wait for too long: a queue without bounds turns an overload into a standstill.
 */
export class Turns {
  readonly #limits: TurnLimits
  readonly #queue = new Set<() => void>()
  #running = 0

  constructor(limits: TurnLimits) {
    this.#limits = limits
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
    if (this.#queue.size >= waiting) return Promise.reject(busy())
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#queue.delete(start)
        reject(busy())
      }, patienceMs)
      const start = () => {
        clearTimeout(timer)
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
}

const busy = () => unavailable('The service is busy; try again in a moment')
