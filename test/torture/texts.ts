import { randomNumbers } from '../shared/random-numbers.ts'

export interface Text {
  readonly text_id: string
  readonly vector: readonly number[]
  readonly text: string | undefined
  readonly metadata: object | undefined
}

/** What is stored under a text_id follows from the text_id alone, so it need not be remembered. */
export function textOf(textId: string, dimensions: number): Text {
  const random = randomNumbers(hashOf(textId))
  return {
    text_id: textId,
    vector: Array.from({ length: dimensions }, () => random() * 2 - 1),
    text: random() < 0.2 ? undefined : `text of ${textId}: ${'größer 字 '.repeat(random() * 20)}`,
    metadata:
      random() < 0.2
        ? undefined
        : { of: textId, group: `g${Math.floor(random() * 5)}`, n: random() },
  }
}

/** The body of an upload. */
export function uploadBody(
  textIds: readonly string[],
  instance: string,
  dimensions: number,
): string {
  const embeddings = textIds.map((textId) => ({
    ...textOf(textId, dimensions),
    instance_handle: instance,
    vector_dim: dimensions,
  }))
  return JSON.stringify({ embeddings })
}

/** Whether two vectors are the same as float32, bit by bit. */
export const sameFloats = (a: readonly number[], b: readonly number[]) =>
  a.length === b.length &&
  a.every((value, index) => Object.is(Math.fround(value), Math.fround(b[index] ?? Number.NaN)))

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash
}
