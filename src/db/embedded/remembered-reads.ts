import { LRUCache } from 'lru-cache'
import type { Read } from '../database.ts'

const maxKept = 1_000

/**
 * Remembers the answers of a read until something is written. All writes go through the one engine.
 * @param generation changes before and after everything that may write
 */
export function rememberReads<Values extends object, Answer>(
  generation: () => number,
  read: Read<Values, Answer>,
): Read<Values, Answer> {
  const kept = new LRUCache<string, { readonly generation: number; readonly answer: Answer }>({
    max: maxKept,
  })
  return async (values) => {
    const key = JSON.stringify(values)
    const began = generation()
    const known = kept.get(key)
    if (known?.generation === began) return known.answer
    const answer = await read(values)
    // What was written meanwhile may have come before or after the read.
    if (generation() === began) kept.set(key, { generation: began, answer })
    return answer
  }
}
