import type { Load } from './load.ts'
import { type CpuTimes, cpuBetween } from './processes.ts'

/** A load that also counts the CPU which the servers use for it, but in its first run, which warms up. */
export function metered(load: Load, cpu: () => Promise<CpuTimes | undefined>) {
  let ms = 0
  let requests = 0
  let known = true
  let warm = false
  return {
    async run(clients: number, duration: number) {
      if (!warm) {
        warm = true
        return load.run(clients, duration)
      }
      const before = await cpu()
      const sample = await load.run(clients, duration)
      const used = cpuBetween(before, await cpu())
      known &&= used !== undefined
      ms += used ?? 0
      requests += sample.latencies.length
      return sample
    },
    msPerRequest: () => (known && requests > 0 ? ms / requests : undefined),
  }
}
