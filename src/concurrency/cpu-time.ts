import { readFileSync, readlinkSync } from 'node:fs'

/** Linux counts processor time in steps of 10 ms. */
const msPerTick = 10

/**
 * The file in which the kernel counts the processor time of the calling thread; undefined where
 * there is none, as on macOS and Windows.
 */
export function threadStatFile(): string | undefined {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}/stat`
  } catch {
    return undefined
  }
}

/**
 * The processor time of a thread so far, which any thread of the process may ask for.
 * @returns milliseconds; undefined when it cannot be told
 */
export function cpuTime(statFile: string | undefined): number | undefined {
  if (statFile === undefined) return undefined
  try {
    // utime and stime, fields 14 and 15; the name in field 2 may hold spaces, so count from its end.
    const stat = readFileSync(statFile, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[11]) + Number(fields[12])
    return Number.isNaN(ticks) ? undefined : ticks * msPerTick
  } catch {
    return undefined
  }
}
