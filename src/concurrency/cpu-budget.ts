import { cpuTime } from './cpu-time.ts'

/** What a worker thread may spend on a task. */
export interface CpuBudget {
  /** Processor time. Time spent waiting, such as for a free processor, does not count. */
  readonly cpuMs: number
  /** Elapsed time after which a task is given up even if it did not get its processor time. */
  readonly timeoutMs: number
}

/** Processor time is counted in coarse steps; checking sooner would find no change. */
const minIntervalMs = 10

/** What a task has left of its budget. If processor time is not counted, elapsed time stands in. */
export class CpuBudgetMeter {
  readonly #budget: CpuBudget
  readonly #statFile: string | undefined
  readonly #cpuBefore: number | undefined
  readonly #start = performance.now()

  /** @param statFile the file in which the kernel counts the thread's processor time */
  constructor(budget: CpuBudget, statFile: string | undefined) {
    this.#budget = budget
    this.#statFile = statFile
    this.#cpuBefore = cpuTime(statFile)
  }

  /** Returns which of the two is used up, or the milliseconds after which to check again. */
  check(): 'cpu-time' | 'timeout' | number {
    const { cpuMs, timeoutMs } = this.#budget
    const elapsed = performance.now() - this.#start
    const left = cpuMs - this.#spent(elapsed)
    if (left <= 0) return 'cpu-time'
    if (elapsed >= timeoutMs) return 'timeout'
    return Math.max(minIntervalMs, Math.min(left, timeoutMs - elapsed))
  }

  #spent(elapsed: number): number {
    const now = cpuTime(this.#statFile)
    return now === undefined || this.#cpuBefore === undefined ? elapsed : now - this.#cpuBefore
  }
}
