import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'

/** Of the nice values, so that searches go first where processors are short. */
const lowPriority = 10

/** For a thread's own sake: Linux counts the nice value of each by itself; elsewhere it runs like the others. */
export function yieldToOthers(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), lowPriority)
  } catch {}
}
