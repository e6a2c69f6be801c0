import { cpuTime } from './cpu-time.js'

export interface BudgetTerms {
  /** Processor time: on a busy machine a thread that needs little may have to wait long for it. */
  readonly budgetMs: number
  /** By the clock, after which a thread that has not had its processor time is given up. */
  readonly timeoutMs: number
}

/** Counting is coarse; a shorter look would see nothing new. */
const shortestLookMs = 10

/** What a thread may spend on a task. Where processor time is not counted, it is the clock's. */
export class Budget {
  readonly #terms: BudgetTerms
  readonly #statFile: string | undefined
  readonly #cpuBefore: number | undefined
  readonly #start = performance.now()

  /** @param statFile where the kernel counts the thread's processor time */
  constructor(terms: BudgetTerms, statFile: string | undefined) {
    this.#terms = terms
    this.#statFile = statFile
    this.#cpuBefore = cpuTime(statFile)
  }

  /** Why the thread is to be ended, or the milliseconds after which to look again. */
  look(): 'time' | 'starved' | number {
    const { budgetMs, timeoutMs } = this.#terms
    const elapsed = performance.now() - this.#start
    const left = budgetMs - this.#spent(elapsed)
    if (left <= 0) return 'time'
    if (elapsed >= timeoutMs) return 'starved'
    return Math.max(shortestLookMs, Math.min(left, timeoutMs - elapsed))
  }

  #spent(elapsed: number): number {
    const now = cpuTime(this.#statFile)
    return now === undefined || this.#cpuBefore === undefined ? elapsed : now - this.#cpuBefore
  }
}
