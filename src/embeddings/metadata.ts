import { isStorable } from '../storable.ts'

export type Metadata = Record<string, unknown>

const maxDepth = 64
const maxBytes = 256 * 1024

/**
 * What keeps a JSON value from being stored as metadata and read back the same, or undefined.
 * Walks with a list of its own: the value may be nested deeper than the call stack.
 */
export function metadataProblem(metadata: unknown): string | undefined {
  if (!isObject(metadata)) return 'must be a JSON object'
  let level: unknown[] = [metadata]
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) return `must be nested at most ${maxDepth} levels deep`
    const next: unknown[] = []
    for (const container of level) {
      for (const [key, value] of Object.entries(Object(container))) {
        if (!isStorable(key) || (typeof value === 'string' && !isStorable(value))) {
          return 'must not hold NUL characters or lone surrogates'
        }
        if (value === Infinity || value === -Infinity) return 'must not hold numbers above 1.8e308'
        if (typeof value === 'object' && value !== null) next.push(value)
      }
    }
    level = next
  }
  if (Buffer.byteLength(JSON.stringify(metadata)) > maxBytes) {
    return `must have at most ${maxBytes} bytes`
  }
  return undefined
}

export const isObject = (value: unknown): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
