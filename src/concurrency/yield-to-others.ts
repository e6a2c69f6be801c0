import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'

/** A nice value that lets searches go first when processors are busy. */
const lowPriority = 10

/** Lowers the priority of the calling thread. Only Linux can; elsewhere nothing changes. */
export function yieldToOthers(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), lowPriority)
  } catch {}
}
