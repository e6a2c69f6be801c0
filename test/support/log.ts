import { createLog } from '../../src/log.ts'

/** A log of its own, and the lines that were written to it. */
export function recordedLog(verbose = true) {
  const lines: Record<string, unknown>[] = []
  const log = createLog(verbose, { write: (line) => void lines.push(JSON.parse(line)) })
  return { log, lines }
}
