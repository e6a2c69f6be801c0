import { existsSync, readFileSync } from 'node:fs'

/** Mebibytes of memory that a process holds, now and at most; not known outside Linux. */
export function memoryOf(pid: number | undefined) {
  const file = `/proc/${pid}/status`
  const status = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const mebibytes = (name: string) => {
    const kibibytes = new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]
    return kibibytes === undefined ? undefined : Number(kibibytes) / 1024
  }
  return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') }
}
