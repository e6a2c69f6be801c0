import { freshPrefix } from '../jobs.ts'

/** @returns what gives all text_ids in the body a prefix that no other client and no other call has */
export function renewIds(body: Buffer | undefined, seat: number): () => void {
  const places: number[] = []
  for (let at = find(body, 0); at !== -1; at = find(body, at + 1)) places.push(at)
  let count = 0
  return () => {
    const prefix = `${String(seat).padStart(3, '0')}${String(count).padStart(5, '0')}`
    count += 1
    for (const at of places) body?.write(prefix, at, 'latin1')
  }
}

const find = (body: Buffer | undefined, from: number) => body?.indexOf(freshPrefix, from) ?? -1
