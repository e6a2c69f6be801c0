import { totalmem } from 'node:os'
import { setFlagsFromString } from 'node:v8'

/** Keeps V8 from optimizing WebAssembly from now on. Bun has another engine and ignores this. */
export function dontOptimize(): void {
  if (globalThis.Bun !== undefined) return
  for (const flag of ['no-wasm-dynamic-tiering', 'no-wasm-tier-up', 'liftoff-only']) {
    setFlagsFromString(`--${flag}`)
  }
}

/** Node 24 takes 600 MB for seconds to optimize the largest function of PostgreSQL; Node 20, 20 MB. */
const neededMb = 1_200

/**
 * Whether this runtime may take more memory to optimize the engine than the machine or container
 * has.
 */
export function lacksMemoryToOptimize(): boolean {
  if (globalThis.Bun !== undefined || Number.parseInt(process.versions.v8, 10) < 12) return false
  // Unlimited is told as 0 or as a number beyond all memory.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY
  return Math.min(limit, totalmem()) < neededMb * 2 ** 20
}
