import { isNeighbours, neighbourLines } from '../neighbour-lines.ts'
import {
  type Agreement,
  agreementOf,
  maxComparedTexts,
  type NeighbourNumbers,
  numbersOf,
  TextNumbers,
} from './agreement.ts'
import type { CompareView } from './compare-view.ts'

export interface LoadedAgreement {
  readonly agreement: Agreement
  readonly isCut: boolean
  /** @returns text_ids of the nearest of a text in the first and in the second project */
  readonly neighboursOf: (text: number) => readonly [string[], string[]]
  readonly idOf: (text: number) => string
}

/** One project after the other: the server does one such thing for each caller at a time. */
export async function loadAgreement(
  { a, b, k }: Pick<CompareView, 'a' | 'b' | 'k'>,
  signal: AbortSignal,
): Promise<LoadedAgreement> {
  const numbers = new TextNumbers()
  const one = await loadNumbers(a, k, numbers, signal)
  const other = await loadNumbers(b, k, numbers, signal)
  const idsOf = (of: NeighbourNumbers, text: number) => [...(of.get(text) ?? [])].map(numbers.idOf)
  return {
    agreement: agreementOf(one, other),
    isCut: Math.max(one.size, other.size) >= maxComparedTexts,
    neighboursOf: (text) => [idsOf(one, text), idsOf(other, text)],
    idOf: numbers.idOf,
  }
}

async function loadNumbers(
  project: string,
  k: number,
  numbers: TextNumbers,
  signal: AbortSignal,
): Promise<NeighbourNumbers> {
  const found = new Map<number, Int32Array>()
  for await (const line of neighbourLines(project, { k, threshold: 0 }, signal)) {
    if (isNeighbours(line)) found.set(...numbersOf(line, numbers))
    if (found.size >= maxComparedTexts) break
  }
  return found
}
