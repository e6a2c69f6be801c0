import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { setImmediate } from 'node:timers/promises'

/** A nice value that lets searches go first when processors are busy. */
const lowPriority = 10

/**
 * @returns a function that lets others go first if this much time has passed since it last did so
 */
export function createPause(sliceMs: number): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < sliceMs) return
    await setImmediate()
    since = performance.now()
  }
}

/**
 * Creates a function that lets pieces of work that take milliseconds begin one after another, each
 * in its own round of the event loop. Otherwise many that arrive at once would keep everybody
 * waiting for all of them.
 */
export function createTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(() => setImmediate())
    return last
  }
}

/** Lowers the priority of the calling thread. Only Linux can; elsewhere nothing changes. */
export function yieldToOthers(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), lowPriority)
  } catch {}
}

/** Whether something ends in time. */
export async function endsWithin(ended: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  const hasEnded = await Promise.race([ended.then(() => true), late])
  clearTimeout(timer)
  return hasEnded
}
