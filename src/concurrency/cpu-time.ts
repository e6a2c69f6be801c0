import { readFileSync, readlinkSync } from 'node:fs'

/** Linux counts processor time in steps of 10 ms. */
const msPerTick = 10

/**
 * The file in which the kernel counts the processor time of the calling thread; undefined if there
 * is none, as on macOS and Windows.
 */
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
    // utime and stime are fields 14 and 15. The name in field 2 may hold spaces, so this counts
    // from its end.
    const stat = readFileSync(statFile, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[11]) + Number(fields[12])
    return Number.isNaN(ticks) ? undefined : ticks * msPerTick
  } catch {
    return undefined
  }
}
