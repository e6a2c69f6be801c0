import { createHash } from 'node:crypto'
import type { ValidateFunction } from 'ajv'
import { LRUCache } from 'lru-cache'
import { type CompiledScheme, compileScheme } from './compile.ts'

const maxUsedHeap = 64 * 1024 * 1024

/** The most recently used validators, by the hash of their schema. */
const compiled = new LRUCache<string, CompiledScheme>({
  max: 200,
  maxSize: 1024 * 1024,
  sizeCalculation: ({ size }) => size,
})

/** @throws InvalidScheme */
export function validatorOf(scheme: string): ValidateFunction {
  const key = createHash('sha256').update(scheme).digest('base64')
  const known = compiled.get(key)
  if (known !== undefined) return known.validate
  const entry = compileScheme(scheme)
  compiled.set(key, entry)
  return entry.validate
}

/**
 * Forgets all validators when the heap is half full: their inner functions keep the violations that
 * they found last, which may be hundreds of thousands if somebody tries to fill the heap.
 */
export function limitHeap(): void {
  if (process.memoryUsage().heapUsed > maxUsedHeap) compiled.clear()
}
