import { describe, expect, it } from 'vitest'
import { randomNumbers } from '../shared/random-numbers.ts'
import type { Answer } from '../torture/oracle/answers.ts'
import { Dice } from '../torture/oracle/dice.ts'
import { flawsOf } from '../torture/oracle/judge.ts'
import { flawsOfGroups } from '../torture/oracle/judge-groups.ts'
import type { JsonObject } from '../torture/oracle/metadata.ts'
import { type Document, Model } from '../torture/oracle/model.ts'
import { type Options, soughtBy } from '../torture/oracle/question.ts'
import { Recall } from '../torture/oracle/recall.ts'

const documentAt = (id: string, degrees: number, metadata?: JsonObject): Document => {
  const angle = (degrees * Math.PI) / 180
  const vector = Float32Array.of(Math.cos(angle), Math.sin(angle))
  const norm = Math.hypot(...vector)
  return { id, kind: 'other', vector, norm, text: undefined, metadata, createdAt: undefined }
}

const model = new Model('ann', 'p', 2, ['other'], new Dice(randomNumbers(1)))
const mark = { book: 'Mark' }
model.keep([
  documentAt('gone', 5),
  documentAt('a', 10, mark),
  documentAt('b', 20, { book: 'Luke' }),
  documentAt('c', 30, mark),
  documentAt('d', 80),
  documentAt('e', 170),
])
model.drop(['gone'])

const cos = (degrees: number) => Math.cos((degrees * Math.PI) / 180)
const right = [
  { id: 'a', similarity: cos(10) },
  { id: 'b', similarity: cos(20) },
  { id: 'c', similarity: cos(30) },
]
const [a, b, c] = right

function flaws(results: Answer['results'], options: Options = {}, answer: Partial<Answer> = {}) {
  const question = { textId: undefined, vector: Float32Array.of(1, 0), options }
  const given = { mode: 'exact', hidden: 2, totalSimilar: undefined, results, ...answer }
  const judge = options.group_by === undefined ? flawsOf : flawsOfGroups
  return judge(question, given, model.rank(soughtBy(question)), model.everHad)
}

describe('what the oracle says of an answer', () => {
  it.each<[string, Answer['results'], Options, Partial<Answer>]>([
    ['a result is missing', right.slice(0, 2), {}, {}],
    ['another one is missing', right.slice(1), {}, {}],
    ['one is deleted', [{ id: 'gone', similarity: cos(5) }, ...right], {}, {}],
    ['one is of another version', [{ id: 'a', similarity: 0.98 }, ...right.slice(1)], {}, {}],
    ['one is below the threshold', [...right, { id: 'd', similarity: cos(80) }], {}, {}],
    ['one comes twice', right.flatMap((one) => [one, one]), { limit: 6 }, { hidden: 0 }],
    ['they are not in order', right.toReversed(), {}, {}],
    ['one is left out by the filter', right, { filter: { book: 'Mark' } }, { hidden: 0 }],
    ['the total is wrong', right, { totals: true }, { totalSimilar: 4 }],
    ['more are hidden', right, {}, { hidden: 3 }],
    ['it is not said how many are hidden', right, {}, { hidden: undefined }],
    ['it has metadata', right.map((one) => ({ ...one, metadata: mark })), {}, {}],
    ['approximately, most are missing', [], { limit: 3 }, { mode: 'approximate', hidden: 0 }],
  ])('refuses it when %s', (_, results, options, answer) => {
    expect(flaws(results, options, answer)).not.toEqual([])
  })

  it('knows what groups are', () => {
    const group = 'Mark'
    const of = (...results: ({ id: string; similarity: number } | undefined)[]) =>
      results.flatMap((one) =>
        one === undefined ? [] : [{ ...one, group: one === b ? 'Luke' : group }],
      )
    const options = { group_by: 'book', group_size: 2 }
    expect(flaws(of(a, c, b), options)).toEqual([])
    expect(flaws(of(a, b, c), options)).not.toEqual([])
    expect(flaws(of(a, b), options)).not.toEqual([])
    expect(flaws(of(b, a, c), options)).not.toEqual([])
    expect(flaws(of(a, c), options)).not.toEqual([])
  })
})

describe('recall', () => {
  const complaints = (
    near: 'other' | 'isotropic',
    answers: number,
    found: number,
    hasIndexes = false,
  ) => {
    const recall = new Recall(hasIndexes)
    const question = { textId: undefined, vector: Float32Array.of(1, 0), options: {} }
    const ranked = model.rank(soughtBy(question))
    const answer = { mode: 'approximate', hidden: undefined, totalSimilar: undefined }
    for (let count = 0; count < answers; count += 1) {
      recall.note(model, near, question, { ...answer, results: right.slice(0, found) }, ranked)
    }
    return recall.flaws()
  }

  it.each([
    [200, 3, 0],
    [200, 2, 2],
    [199, 2, 0],
  ])('of %i answers with %i of 3: %i complaints', (answers, found, expected) => {
    expect(complaints('other', answers, found)).toHaveLength(expected)
  })

  it('of random vectors is judged where there is no index', () => {
    expect(complaints('isotropic', 200, 2)).toHaveLength(2)
    expect(complaints('isotropic', 200, 2, true)).toEqual([])
  })
})
