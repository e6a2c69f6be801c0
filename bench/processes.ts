import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { memoryOf } from '../test/shared/memory.ts'

/** /proc counts in hundredths of a second on every Linux that Node runs on. */
const msPerTick = 10

/** CPU in milliseconds. */
interface Stat {
  readonly program: string
  readonly parent: number
  readonly own: number
  /** Of children that have ended. */
  readonly ended: number
}

/** Reads /proc/PID/stat. The name of the program stands in parentheses and may hold any character. */
export function parseStat(text: string): Stat {
  const end = text.lastIndexOf(')')
  const fields = text.slice(end + 2).split(' ')
  const number = (at: number) => Number(fields[at])
  return {
    program: text.slice(text.indexOf('(') + 1, end),
    parent: number(1),
    own: (number(11) + number(12)) * msPerTick,
    ended: (number(13) + number(14)) * msPerTick,
  }
}

function statOf(pid: number): Stat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    // It has ended meanwhile, or this is not Linux.
    return undefined
  }
}

/** A process and all that descend from it. */
function familyOf(root: number): number[] {
  const names = existsSync('/proc') ? readdirSync('/proc') : []
  const pids = names.map(Number).filter((pid) => Number.isInteger(pid))
  const parents = new Map(pids.map((pid) => [pid, statOf(pid)?.parent]))
  const found = [root]
  for (const member of found) found.push(...pids.filter((pid) => parents.get(pid) === member))
  return found
}

/** Milliseconds so far, by process, as connections to a database come and go. */
export type CpuTimes = ReadonlyMap<number, number>

/** The CPU of a process with its descendants; not known outside Linux. */
export function cpuOf(root: number): CpuTimes | undefined {
  if (statOf(root) === undefined) return undefined
  const stats = familyOf(root).map(statOf)
  const ms = stats.reduce((sum, stat) => sum + (stat?.own ?? 0) + (stat?.ended ?? 0), 0)
  return new Map([[root, ms]])
}

/** The CPU of each of some processes that run this program; not known when one runs another. */
export function cpuOfPrograms(program: string, pids: readonly number[]): CpuTimes | undefined {
  const stats = pids.map((pid) => [pid, statOf(pid)] as const)
  if (stats.some(([, stat]) => stat !== undefined && stat.program !== program)) return undefined
  return new Map(stats.map(([pid, stat]) => [pid, stat?.own ?? 0]))
}

/** Milliseconds that were used from one look to the next. */
export function cpuBetween(before: CpuTimes | undefined, after: CpuTimes | undefined) {
  if (before === undefined || after === undefined) return undefined
  return [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0)
}

/** Mebibytes that a process and its descendants hold; not known outside Linux. */
export function residentMemoryOf(root: number): number | undefined {
  const sizes = familyOf(root).flatMap((pid) => memoryOf(pid).now ?? [])
  return sizes.length === 0 ? undefined : sizes.reduce((sum, size) => sum + size)
}
