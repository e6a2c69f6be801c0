import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { note } from '../../test/shared/time.ts'
import { familyOf } from '../processes.ts'
import { undoing } from '../undo.ts'

const periodUs = 100_000

/** Where the kernel takes limits of CPU: control groups of version 1 or 2. */
export interface Hierarchy {
  readonly folder: string
  readonly version: 1 | 2
}

/** The hierarchy that has the controller of CPU, from /proc/mounts. */
export function hierarchyIn(
  mounts: string,
  controllersOf: (folder: string) => string,
): Hierarchy | undefined {
  for (const line of mounts.split('\n')) {
    const [, folder = '', type, options = ''] = line.split(' ')
    if (type === 'cgroup' && options.split(',').includes('cpu')) return { folder, version: 1 }
    if (type === 'cgroup2' && controllersOf(folder).split(/\s/).includes('cpu')) {
      return { folder, version: 2 }
    }
  }
  return undefined
}

export interface CpuLimits {
  /** Lets `use` run while each of these processes has so much of a core, together with its descendants. */
  hold<T>(roots: readonly number[], cores: number, use: () => Promise<T>): Promise<T>
}

/** Undefined, after a note that says why, where none can be set. */
export function cpuLimits(): CpuLimits | undefined {
  const found = hierarchyIn(read('/proc/mounts'), (folder) => read(`${folder}/cgroup.controllers`))
  if (found === undefined) {
    note('no control group limits CPU here: workers are measured without a limit')
    return undefined
  }
  try {
    rmdirSync(makeGroup(found, 'probe', 1))
  } catch (error) {
    note(`workers are measured without a limit, which takes root: ${String(error)}`)
    return undefined
  }
  const hold: CpuLimits['hold'] = async ([root, ...rest], cores, use) =>
    root === undefined ? use() : limited(found, root, cores, () => hold(rest, cores, use))
  return { hold }
}

const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

function makeGroup({ folder, version }: Hierarchy, name: string, cores: number): string {
  const group = join(folder, `semblance-bench-${process.pid}-${name}`)
  if (version === 2) writeFileSync(join(folder, 'cgroup.subtree_control'), '+cpu')
  mkdirSync(group)
  const quota = `${Math.round(cores * periodUs)}`
  // Ten times the usual weight: what it may have it gets, also where others keep the machine busy.
  const limits =
    version === 2
      ? { 'cpu.max': `${quota} ${periodUs}`, 'cpu.weight': '1000' }
      : { 'cpu.cfs_period_us': `${periodUs}`, 'cpu.cfs_quota_us': quota, 'cpu.shares': '10240' }
  for (const [file, value] of Object.entries(limits)) writeFileSync(join(group, file), value)
  return group
}

function limited<T>(
  hierarchy: Hierarchy,
  root: number,
  cores: number,
  use: () => Promise<T>,
): Promise<T> {
  const before = join(hierarchy.folder, groupOf(hierarchy, root))
  const group = makeGroup(hierarchy, `${root}`, cores)
  const undo = async () => {
    for (let pids = membersOf(group); pids.length > 0; pids = membersOf(group)) {
      // Who starts others first.
      for (const pid of [root, ...pids]) move(pid, before)
    }
    rmdirSync(group)
  }
  return undoing(undo, () => {
    // Whatever it starts from here on is in its group.
    move(root, group)
    for (const pid of familyOf(root)) move(pid, group)
    return use()
  })
}

/** The path of a process's group in the hierarchy. */
function groupOf({ version }: Hierarchy, pid: number): string {
  const lines = read(`/proc/${pid}/cgroup`).split('\n')
  const own = lines
    .map((line) => line.split(':'))
    .find(([number, controllers]) =>
      version === 2 ? number === '0' : controllers?.split(',').includes('cpu'),
    )
  return own?.slice(2).join(':') ?? '/'
}

const membersOf = (group: string) =>
  read(join(group, 'cgroup.procs')).split('\n').filter(Boolean).map(Number)

function move(pid: number, group: string): void {
  try {
    writeFileSync(join(group, 'cgroup.procs'), `${pid}`)
  } catch (error) {
    // Connections come and go.
    if (existsSync(`/proc/${pid}`)) throw error
  }
}
