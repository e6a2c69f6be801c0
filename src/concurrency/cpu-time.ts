import { readFileSync, readlinkSync } from 'node:fs'

/** Linux counts processor time in steps of 10 ms. */
const msPerTick = 10

/** The file in which the kernel counts this thread's processor time; undefined if there is none. */
export function threadStatFile(): string | undefined {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}/stat`
  } catch {
    return undefined
  }
}

/**
 * The processor time of a thread so far. Any thread of the process may ask for it.
 * @returns milliseconds; undefined if it is unknown
 */
export function cpuTime(statFile: string | undefined): number | undefined {
  if (statFile === undefined) return undefined
  try {
    // utime and stime are fields 14 and 15, counted from the end of the name (it may have spaces).
    const stat = readFileSync(statFile, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[11]) + Number(fields[12])
    return Number.isNaN(ticks) ? undefined : ticks * msPerTick
  } catch {
    return undefined
  }
}

/** What a worker thread may spend on a task. */
export interface TaskBudget {
  /** Processor time. Time spent waiting, such as for a free processor, does not count. */
  readonly cpuMs?: number
  /** Elapsed time after which a task is given up even if it did not get its processor time. */
  readonly timeoutMs: number
}

/**
 * Begins to count what a task spends. If processor time is not counted, elapsed time stands in.
 * @param statFile the file in which the kernel counts the thread's processor time
 * @returns a function that says which of the two is used up, or after how many milliseconds to check
 *   again
 */
export function startMeter(
  { cpuMs = Number.POSITIVE_INFINITY, timeoutMs }: TaskBudget,
  statFile: string | undefined,
): () => 'cpu-time' | 'timeout' | number {
  const file = Number.isFinite(cpuMs) ? statFile : undefined
  const cpuBefore = cpuTime(file)
  const start = performance.now()
  return () => {
    const elapsed = performance.now() - start
    const cpu = cpuTime(file)
    const spent = cpu === undefined || cpuBefore === undefined ? elapsed : cpu - cpuBefore
    if (spent >= cpuMs) return 'cpu-time'
    if (elapsed >= timeoutMs) return 'timeout'
    // Checking sooner than the next tick would find no change.
    return Math.max(msPerTick, Math.min(cpuMs - spent, timeoutMs - elapsed))
  }
}
