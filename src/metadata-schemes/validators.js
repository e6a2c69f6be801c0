import { createHash } from 'node:crypto'
import { compileScheme } from './compile.js'

const maxKept = 200
const maxKeptSize = 1024 * 1024
const maxUsedHeap = 64 * 1024 * 1024

/**
 * The validators used last, as many as fit.
 * @type {Map<string, ReturnType<typeof compileScheme>>}
 */
const kept = new Map()
let keptSize = 0

/**
 * @param {string} scheme
 * @returns {import('ajv').ValidateFunction}
 * @throws {import('./invalid-scheme.js').InvalidScheme}
 */
export function validatorOf(scheme) {
  const key = createHash('sha256').update(scheme).digest('base64')
  const entry = kept.get(key) ?? compileScheme(scheme)
  drop(key)
  kept.set(key, entry)
  keptSize += entry.size
  for (const oldest of kept.keys()) {
    if (kept.size <= maxKept && keptSize <= maxKeptSize) break
    drop(oldest)
  }
  return entry.validate
}

/**
 * Forgets all validators when the heap is half full: their inner functions hold on to the
 * violations that they found last, hundreds of thousands when somebody means to fill the heap.
 */
export function limitHeap() {
  if (process.memoryUsage().heapUsed <= maxUsedHeap) return
  kept.clear()
  keptSize = 0
}

/** @type {(key: string) => void} */
function drop(key) {
  keptSize -= kept.get(key)?.size ?? 0
  kept.delete(key)
}
