import { isStorable } from '../db/storable.ts'

export type Metadata = Record<string, unknown>

export const maxMetadataDepth = 64
export const maxMetadataBytes = 256 * 1024

const notStorable = 'must not hold NUL characters or lone surrogates'
const tooLarge = `must have at most ${maxMetadataBytes} bytes`

/** Converts metadata to the JSON text to store, or says why that would not read back the same. */
export function metadataText(metadata: Metadata): { text: string } | { problem: string } {
  const problem = structureProblem(metadata)
  if (problem !== undefined) return { problem }
  const text = JSON.stringify(metadata)
  return Buffer.byteLength(text) > maxMetadataBytes ? { problem: tooLarge } : { text }
}

/** Does not recurse, because the value may be nested deeper than the call stack. */
function structureProblem(metadata: Metadata): string | undefined {
  let level: object[] = [metadata]
  let walked = 0
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxMetadataDepth) return `must be nested at most ${maxMetadataDepth} levels deep`
    const next: object[] = []
    for (const container of level) {
      const values: unknown[] = Array.isArray(container) ? container : Object.values(container)
      // Each value takes at least a byte, so a walk over tens of millions of them can end early.
      walked += values.length
      if (walked > maxMetadataBytes) return tooLarge
      if (!Array.isArray(container) && !Object.keys(container).every(isStorable)) return notStorable
      for (const value of values) {
        const problem = scalarProblem(value)
        if (problem !== undefined) return problem
        if (typeof value === 'object' && value !== null) next.push(value)
      }
    }
    level = next
  }
  return undefined
}

function scalarProblem(value: unknown): string | undefined {
  if (typeof value === 'string' && !isStorable(value)) return notStorable
  if (value === Infinity || value === -Infinity) return 'must not hold numbers above 1.8e308'
  return undefined
}
