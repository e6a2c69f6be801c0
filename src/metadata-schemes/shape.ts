import { InvalidScheme } from './invalid-scheme.ts'

const maxDepth = 32
const maxNodes = 1_000

/**
 * Rejects schemas that would be costly to compile, before any recursive code reads them.
 * @throws InvalidScheme
 */
export function checkShape(schema: unknown): void {
  let level = [schema].filter(isNode)
  let nodes = 0
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw new InvalidScheme(`it is nested deeper than ${maxDepth} levels`)
    nodes += level.length
    if (nodes > maxNodes) throw new InvalidScheme(`it has more than ${maxNodes} objects and arrays`)
    level = level.flatMap((node) => Object.values(node).filter(isNode))
  }
}

const isNode = (value: unknown): value is object => typeof value === 'object' && value !== null
