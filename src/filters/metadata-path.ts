import { badRequest } from '../errors.ts'

export const maxPathKeys = 32
/** Every document's metadata are searched for the path, and the answer may quote it. */
const maxPathLength = 4_096

/**
 * Splits a path in dot notation into keys: `ref.book` → ['ref', 'book']. A backslash escapes the
 * next character: `a\.b` → ['a.b'].
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
 * @param name of the parameter in the request
 * @throws 400 if the path is empty or overlong
 */
export function parsePath(path: string, name: string): string[] {
  const keys = pathOf(path)
  if (typeof keys === 'string') throw badRequest(`${name} ${keys}`)
  return keys
}

/** The inverse of `pathOf`: the path in dot notation that consists of these keys. */
export const printPath = (keys: readonly string[]): string => {
  const path = keys
    .map((key) => key.replaceAll(/[\\.]/g, (character) => `\\${character}`))
    .join('.')
  // Without the backslash it would be an operator, or a name that filters reserve.
  return path.startsWith('$') || path === 'text_id' || path === 'created_at' ? `\\${path}` : path
}
