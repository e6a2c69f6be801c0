import { cpus } from 'node:os'
import type { Load } from '../load.ts'
import { metered } from '../metered.ts'
import { cpuOf, cpuOfMachine } from '../processes.ts'
import type { Cluster, Shape } from './cluster.ts'

/** What is nearly all in use is what limits. */
const nearly = 0.9

/** Milliseconds of CPU for one request. */
export interface Use {
  readonly service: number | undefined
  readonly coordinator: number | undefined
  readonly workers: readonly [number | undefined, number | undefined]
  /** All that the machine does meanwhile, for clients and for others. */
  readonly machine: number | undefined
}

/** A load that also counts the CPU of all that has a part in it. */
export function meteredEach(load: Load, { owner }: Shape, { coordinator, workers }: Cluster) {
  // The innermost, as looking at the others takes time too.
  const machine = metered(load, async () => cpuOfMachine())
  const service = metered(machine, async () => cpuOf(owner.server.pid))
  const first = metered(service, async () => cpuOf(coordinator.pid))
  const second = metered(first, async () => cpuOf(workers[0].pid))
  const third = metered(second, async () => cpuOf(workers[1].pid))
  const use = (): Use => ({
    service: service.msPerRequest(),
    coordinator: first.msPerRequest(),
    workers: [second.msPerRequest(), third.msPerRequest()],
    machine: machine.msPerRequest(),
  })
  return { run: third.run, use }
}

/** Cores in use. */
export const coresOf = (ms: number | undefined, perSecond: number) =>
  ((ms ?? 0) * perSecond) / 1_000

/** What keeps it from more, as far as use of CPU tells. A service is one process, which has one core at most. */
export function limitOf(
  { service, workers, machine }: Use,
  perSecond: number,
  workerCores: number | undefined,
): string {
  const cores = (ms: number | undefined) => coresOf(ms, perSecond)
  const fullest = Math.max(...workers.map(cores))
  if (workerCores !== undefined && fullest >= nearly * workerCores) return 'worker'
  if (cores(service) >= nearly) return 'service'
  return cores(machine) >= nearly * cpus().length ? 'machine' : 'none in full use'
}
