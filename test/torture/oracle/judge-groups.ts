import { isDeepStrictEqual } from 'node:util'
import type { Answer, Result } from './answers.ts'
import { valueAt } from './holds.ts'
import { flawsOfResults, flawsOfTotal, tolerance } from './judge.ts'
import { isArray, isObject, type Json } from './metadata.ts'
import type { Ranked } from './model.ts'
import { type Question, usual } from './question.ts'

interface Group {
  readonly value: unknown
  /** Most similar first. */
  readonly similarities: number[]
}

/** What is wrong with an answer to a search with groups. */
export function flawsOfGroups(
  question: Question,
  answer: Answer,
  ranked: readonly Ranked[],
  everHad: ReadonlySet<string>,
): string[] {
  const given = givenGroups(answer.results)
  if (typeof given === 'string') return [given]
  const { group_by: path = '' } = question.options
  const documents = new Map(ranked.map(({ document }) => [document.id, document]))
  const misplaced = answer.results.filter(({ id, group = null }) => {
    const value = valueAt(path, documents.get(id)?.metadata) ?? null
    return !isDeepStrictEqual(group, value)
  })
  return [
    ...flawsOfResults(answer.results, ranked, question, everHad),
    ...misplaced.map(({ id, group }) => `'${id}' is in the group ${JSON.stringify(group)}`),
    ...flawsOfSizes(question, given),
    ...(answer.mode === 'exact' ? flawsOfExactGroups(question, given, ranked) : []),
    ...flawsOfTotal(question, answer, ranked),
  ]
}

/** Of one group all stand together. */
function givenGroups(results: readonly Result[]): Group[] | string {
  const groups = new Map<string, Group>()
  let last: string | undefined
  for (const { group = null, similarity } of results) {
    const key = JSON.stringify(group)
    const known = groups.get(key)
    if (known === undefined) groups.set(key, { value: group, similarities: [similarity] })
    else if (key === last) known.similarities.push(similarity)
    else return `the group ${key} is in two places`
    last = key
  }
  return [...groups.values()]
}

function flawsOfSizes({ options }: Question, given: readonly Group[]): string[] {
  const { limit = usual.limit, group_size: size = usual.groupSize } = options
  const heads = given.map(({ similarities }) => similarities[0] ?? 0)
  return [
    ...(given.length > limit ? [`${given.length} groups`] : []),
    ...(given.some(({ similarities }) => similarities.length > size)
      ? ['a group is too large']
      : []),
    ...(isDescending(heads) ? [] : ['the groups are not in order']),
    ...(given.every(({ similarities }) => isDescending(similarities))
      ? []
      : ['a group is not in order']),
  ]
}

const isDescending = (numbers: readonly number[]) =>
  numbers.slice(1).every((number, index) => number <= (numbers[index] ?? 0))

function flawsOfExactGroups(
  { options }: Question,
  given: readonly Group[],
  ranked: readonly Ranked[],
): string[] {
  const { limit = usual.limit, offset = 0, group_by: path = '' } = options
  const { threshold = usual.threshold, group_size: size = usual.groupSize } = options
  const groups = new Map<string, number[]>()
  for (const { document, similarity } of ranked) {
    if (similarity < threshold - tolerance) continue
    const key = canonical(valueAt(path, document.metadata) ?? null)
    const members = groups.get(key) ?? []
    members.push(similarity)
    groups.set(key, members)
  }
  const heads = [...groups.values()].map(([head = 0]) => head)
  const count = (least: number) => heads.filter((head) => head >= least).length
  const onPage = (all: number) => Math.min(limit, Math.max(0, all - offset))
  const [fewest, most] = [onPage(count(threshold)), onPage(heads.length)]
  if (given.length < fewest || given.length > most) return [`${given.length} groups, not ${fewest}`]
  return given.flatMap(({ value, similarities }, index) => {
    const name = `group ${JSON.stringify(value)}`
    const [head = 0] = similarities
    if (!isNear(head, heads[offset + index])) {
      return [`${name} (${head}) stands where the best is ${heads[offset + index]}`]
    }
    const members = groups.get(canonical(asJson(value))) ?? []
    const certain = Math.min(size, members.filter((similarity) => similarity >= threshold).length)
    if (similarities.length < certain) return [`${name} has ${similarities.length} of ${certain}`]
    const isRight = similarities.every((similarity, place) => isNear(similarity, members[place]))
    return isRight ? [] : [`${name} has others than its best`]
  })
}

const isNear = (one: number, other = Number.NaN) => Math.abs(one - Math.max(0, other)) <= tolerance

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value))

/** Equal for equal values: jsonb has an order of its own for keys. */
function canonical(value: Json): string {
  if (isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join()}}`
}
