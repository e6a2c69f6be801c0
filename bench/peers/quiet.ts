import { setTimeout as sleep } from 'node:timers/promises'
import { note } from '../../test/shared/time.ts'
import { type CpuTimes, cpuBetween } from '../processes.ts'

const windowMs = 3_000
/** A server that uses less than this share of a core is not building anything. */
const idleShare = 0.1
/** Longer than a server waits after the last upload before it begins to build. */
const quietWindows = 14
const longestMs = 1_800_000

/**
 * Waits until nothing is being built any more, which shows in the CPU that is used between searches
 * (outside Linux, just for the time that is usual).
 * @returns seconds until the last work was done
 */
export async function quiet(
  cpu: () => Promise<CpuTimes | undefined>,
  search: () => Promise<unknown>,
): Promise<number> {
  const start = performance.now()
  let busyUntil = start
  for (let windows = 0; windows < quietWindows; ) {
    await search()
    const before = await cpu()
    await sleep(windowMs)
    const used = cpuBetween(before, await cpu()) ?? 0
    windows = used > windowMs * idleShare ? 0 : windows + 1
    if (windows === 0) busyUntil = performance.now()
    if (performance.now() - start > longestMs) {
      note('  it does not become quiet: measured as it is')
      break
    }
  }
  return (busyUntil - start) / 1_000
}
