import { badRequest } from '../errors.ts'

const maxSegments = 32

/**
 * Splits a path in dot notation into keys: `ref.book` → ['ref', 'book']. A backslash takes the next
 * character as it is: `a\.b` → ['a.b'].
 * @throws 400 for an empty or overlong path
 */
export function parseMetadataPath(path: string): string[] {
  if (path === '') throw badRequest('metadata_path must not be empty')
  const keys = ['']
  for (let index = 0; index < path.length; index += 1) {
    const character = path[index]
    if (character === '.') keys.push('')
    else {
      if (character === '\\' && index + 1 < path.length) index += 1
      keys[keys.length - 1] += path[index] ?? ''
    }
  }
  if (keys.length <= maxSegments) return keys
  throw badRequest(`metadata_path must have at most ${maxSegments} segments`)
}
