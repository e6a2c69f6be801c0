import type { NeighboursLine } from '../duplicates/pair-collector.ts'

/** More are not kept: with ten neighbours of each some 30 MB a project. */
export const maxComparedTexts = 200_000

/** Numbers for text_ids, the same in both projects. */
export class TextNumbers {
  readonly #numbers = new Map<string, number>()
  readonly #ids: string[] = []

  numberOf(id: string): number {
    const known = this.#numbers.get(id)
    if (known !== undefined) return known
    this.#numbers.set(id, this.#ids.length)
    return this.#ids.push(id) - 1
  }

  idOf = (number: number): string => this.#ids[number] ?? ''
}

/** By the numbers of texts those of their neighbours. */
export type NeighbourNumbers = ReadonlyMap<number, Int32Array>

export const numbersOf = (
  { id, neighbours }: NeighboursLine,
  numbers: TextNumbers,
): [number, Int32Array] => [
  numbers.numberOf(id),
  Int32Array.from(neighbours, (neighbour) => numbers.numberOf(neighbour.id)),
]

export interface TextAgreement {
  readonly text: number
  /** Of its neighbours those that both projects have, from 0 to 1. */
  readonly share: number
}

export interface Agreement {
  /** Texts of both projects, and of one alone. */
  readonly common: number
  readonly onlyOne: number
  readonly onlyOther: number
  readonly mean: number
  /** How many texts have a share below 0.1, 0.2 and so on; the last has those up to 1. */
  readonly histogram: readonly number[]
  /** Where they differ most first. */
  readonly texts: readonly TextAgreement[]
}

/** How far the neighbours of the same texts are the same in two projects. */
export function agreementOf(one: NeighbourNumbers, other: NeighbourNumbers): Agreement {
  const texts: TextAgreement[] = []
  const histogram = new Array<number>(10).fill(0)
  let sum = 0
  for (const [text, neighbours] of one) {
    const others = other.get(text)
    if (others === undefined) continue
    const share = shareOf(neighbours, others)
    sum += share
    const bin = Math.min(9, Math.floor(share * 10 + 1e-9))
    histogram[bin] = (histogram[bin] ?? 0) + 1
    texts.push({ text, share })
  }
  return {
    common: texts.length,
    onlyOne: one.size - texts.length,
    onlyOther: other.size - texts.length,
    mean: texts.length === 0 ? 0 : sum / texts.length,
    histogram,
    texts: texts.sort((a, b) => a.share - b.share || a.text - b.text),
  }
}

/** Two texts without neighbours agree. */
function shareOf(one: Int32Array, other: Int32Array): number {
  const longer = Math.max(one.length, other.length)
  return longer === 0 ? 1 : one.filter((number) => other.includes(number)).length / longer
}
