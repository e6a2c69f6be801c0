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
