import { randomNumbers } from '../shared/random-numbers.ts'

export interface Text {
  readonly text_id: string
  readonly vector: readonly number[]
  readonly text: string | undefined
  readonly metadata: object | undefined
}

/**
 * What is stored under a text_id follows from it alone, so it need not be remembered.
 * @param version how often it was replaced
 */
export function textOf(textId: string, dimensions: number, version = 0): Text {
  const random = randomNumbers(hashOf(version === 0 ? textId : `${textId}#${version}`))
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
  versionOf: (textId: string) => number = () => 0,
): string {
  const embeddings = textIds.map((textId) => ({
    ...textOf(textId, dimensions, versionOf(textId)),
    instance_handle: instance,
    vector_dim: dimensions,
  }))
  return JSON.stringify({ embeddings })
}

/** The body of an upload of lines. */
export const lines = (textIds: readonly string[], dimensions: number) =>
  textIds.map((textId) => `${JSON.stringify(textOf(textId, dimensions))}\n`).join('')

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash
}
