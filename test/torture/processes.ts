import { readdirSync, readFileSync } from 'node:fs'

export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

/** State and parent of a process, from behind its name, which may hold spaces. */
function statOf(pid: number | string): [state: string, parent: number] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return [state, Number(parent)]
  } catch {
    return undefined
  }
}

export const isRunning = (pid: number) => !['Z', undefined].includes(statOf(pid)?.[0])

export const childrenOf = (parent: number) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statOf(name)?.[1] === parent)
    .map(Number)
