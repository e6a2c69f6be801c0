import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Outcome } from './http-client.ts'
import { type Text, textOf } from './texts.ts'

/** Lines of an upload of lines that are one transaction, where they are short. */
export const linesAtOnce = 1_000

export interface Fate {
  readonly textIds: readonly string[]
  /** Lost: the answer says that all is stored, and counts fewer. */
  readonly fate: 'stored' | 'lost' | 'unknown' | 'refused'
}

/**
 * What an answer to an upload of lines says of each transaction.
 * @param stored what the last line of progress that arrived counts
 * @param answer whether it says that all is stored, something else, or that nothing was begun
 */
export function fatesOf(
  textIds: readonly string[],
  stored: number,
  answer: 'whole' | 'partial' | 'refused',
): Fate[] {
  const fates: Fate[] = []
  for (let from = 0; from < textIds.length; from += linesAtOnce) {
    const some = textIds.slice(from, from + linesAtOnce)
    const isStored = from + some.length <= stored
    const otherwise = { whole: 'lost', partial: 'unknown', refused: 'refused' } as const
    fates.push({ textIds: some, fate: isStored ? 'stored' : otherwise[answer] })
  }
  return fates
}

type ListedText = Pick<Text, 'text_id' | 'vector'> & {
  readonly text?: string | undefined
  readonly metadata?: object | undefined
}

/** @returns which of the possible versions it is as a whole; undefined when none, or a mixture */
export function versionOf(
  { text_id, vector, text, metadata }: ListedText,
  possible: readonly number[],
  dimensions: number,
): number | undefined {
  return possible.find((version) => {
    const expected = textOf(text_id, dimensions, version)
    // Bit by bit, as they are stored.
    return isDeepStrictEqual(
      [Float32Array.from(vector), text, metadata],
      [Float32Array.from(expected.vector), expected.text, expected.metadata],
    )
  })
}

const Progress = z.array(
  z.object({ stored: z.number(), error: z.object({ status: z.number() }).optional() }),
)

/** What the last line of progress counts, and the status that the answer has in the end. */
export function endOfLines({ status, body }: Outcome): { stored: number; status: number } {
  const { data = [] } = Progress.safeParse(body)
  const { stored, error } = data.at(-1) ?? { stored: 0 }
  return { stored, status: error?.status ?? status }
}

/** What is wrong with the recorded counts of a project. */
export const flawsOfCounts = (rows: number, recorded: Readonly<Record<string, number>>) =>
  Object.entries(recorded)
    .filter(([, count]) => count !== rows)
    .map(([name, count]) => `${name} is ${count}, and there are ${rows} rows`)
