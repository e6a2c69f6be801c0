import { randomNumbers } from '../shared/random-numbers.ts'
import { Worker } from './worker.ts'
import type { WorkerOptions } from './worker-options.ts'
import type { World } from './world.ts'

export interface Load {
  /** Lets every worker finish its request, and ends. */
  stop(): Promise<void>
}

export interface LoadOptions extends WorkerOptions {
  readonly random: () => number
}

/** One worker for each project, all at the same time. */
export function startLoad(world: World, { random, ...options }: LoadOptions): Load {
  let stopping = false
  const running = world.plots.map((plot) => {
    const own = randomNumbers(Math.floor(random() * 2 ** 32))
    return new Worker(world, plot, own, options).run(() => !stopping)
  })
  return {
    stop: async () => {
      stopping = true
      await Promise.all(running)
    },
  }
}
