import { badRequest } from '../errors.ts'

export const maxPathKeys = 32
/** Each document's metadata are searched for it, and the answer may name it. */
const maxPathLength = 4_096

/**
 * Splits a path in dot notation into keys: `ref.book` → ['ref', 'book']. A backslash takes the next
 * character as it is: `a\.b` → ['a.b'].
 * @returns the keys, or what is wrong with an empty or overlong path
 */
export function pathOf(path: string): string[] | string {
  if (path === '') return 'must not be empty'
  if (path.length > maxPathLength) return `must have at most ${maxPathLength} characters`
  const keys = ['']
  for (let index = 0; index < path.length; index += 1) {
    const character = path[index]
    if (character === '.') keys.push('')
    else {
      if (character === '\\' && index + 1 < path.length) index += 1
      keys[keys.length - 1] += path[index] ?? ''
    }
  }
  return keys.length <= maxPathKeys ? keys : `must have at most ${maxPathKeys} segments`
}

/**
 * @param name what the request calls it
 * @throws 400 for an empty or overlong path
 */
export function parsePath(path: string, name: string): string[] {
  const keys = pathOf(path)
  if (typeof keys === 'string') throw badRequest(`${name} ${keys}`)
  return keys
}

/** The path in dot notation that is split into these keys. */
export const printPath = (keys: readonly string[]): string => {
  const path = keys
    .map((key) => key.replaceAll(/[\\.]/g, (character) => `\\${character}`))
    .join('.')
  // Else it would be an operator, or a name that filters keep for themselves.
  return path.startsWith('$') || path === 'text_id' || path === 'created_at' ? `\\${path}` : path
}
