import { InvalidScheme } from './invalid-scheme.js'

const maxDepth = 32
const maxNodes = 1_000

/**
 * Refuses what would be costly to compile, before anything recursive looks at it.
 * @param {unknown} schema
 */
export function checkShape(schema) {
  let level = [schema].filter(isNode)
  let nodes = 0
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw new InvalidScheme(`it is nested deeper than ${maxDepth} levels`)
    nodes += level.length
    if (nodes > maxNodes) throw new InvalidScheme(`it has more than ${maxNodes} objects and arrays`)
    level = level.flatMap((node) => Object.values(node).filter(isNode))
  }
}

/** @type {(value: unknown) => value is object} */
const isNode = (value) => typeof value === 'object' && value !== null
