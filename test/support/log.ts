import { createLog } from '../../src/log.ts'
import { watch } from './secrets/watch.ts'

/** A log of its own, and the lines that were written to it. */
export function recordedLog(verbose = true) {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => {
    watch.output('the log', line)
    lines.push(JSON.parse(line))
  }
  const log = createLog(verbose, { write })
  return { log, lines }
}
