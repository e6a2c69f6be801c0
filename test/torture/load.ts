import { randomNumbers } from '../shared/random-numbers.ts'
import type { Outcome } from './http-client.ts'
import { Worker } from './worker.ts'
import type { World } from './world.ts'

export interface Load {
  /** Lets every worker finish its request, and ends. */
  stop(): Promise<void>
}

export interface LoadOptions {
  readonly random: () => number
  /** Whether an upload that was answered 503 is sent again at once. */
  readonly retryUploads?: boolean
  readonly onOutcome?: (outcome: Outcome, what: string) => void
}

/** One worker for each project, all at the same time. */
export function startLoad(world: World, options: LoadOptions): Load {
  const { random, retryUploads = false, onOutcome } = options
  let stopping = false
  const running = world.plots.map((plot) => {
    const own = randomNumbers(Math.floor(random() * 2 ** 32))
    const worker = new Worker(world, plot, own, retryUploads)
    if (onOutcome !== undefined) worker.onOutcome = onOutcome
    return worker.run(() => !stopping)
  })
  return {
    stop: async () => {
      stopping = true
      await Promise.all(running)
    },
  }
}
