import { isDeepStrictEqual } from 'node:util'
import type { Answer, Result } from './answers.ts'
import { valueAt } from './holds.ts'
import { flawsOfResults, flawsOfTotal, tolerance } from './judge.ts'
import { isArray, isObject, type Json } from './metadata.ts'
import type { Ranked } from './model.ts'
import { type Question, usual } from './question.ts'

/** What is wrong with an answer to a search with groups. */
export function flawsOfGroups(
  question: Question,
  answer: Answer,
  ranked: readonly Ranked[],
  everHad: ReadonlySet<string>,
): string[] {
  const { group_by: path = '', limit = usual.limit } = question.options
  const documents = new Map(ranked.map(({ document }) => [document.id, document]))
  const misplaced = answer.results.filter(({ id, group = null }) => {
    const value = valueAt(path, documents.get(id)?.metadata) ?? null
    return !isDeepStrictEqual(group, value)
  })
  const given = groupsOf(answer.results)
  const heads = given.map(({ similarities }) => similarities[0] ?? 0)
  const isOrdered = [heads, ...given.map(({ similarities }) => similarities)].every(isDescending)
  return [
    ...flawsOfResults(answer.results, ranked, question, everHad),
    ...misplaced.map(({ id, group }) => `'${id}' is in the group ${JSON.stringify(group)}`),
    ...(given.length > limit ? [`${given.length} groups`] : []),
    ...(isOrdered ? [] : ['groups, or one of them, are not in order']),
    ...(answer.mode === 'exact' ? flawsOfExact(question, given, ranked) : []),
    ...flawsOfTotal(question, answer, ranked),
  ]
}

interface Group {
  readonly key: string
  readonly similarities: number[]
}

/** As they stand: a group in two places is two. */
function groupsOf(results: readonly Result[]): Group[] {
  const groups: Group[] = []
  for (const { group = null, similarity } of results) {
    const key = canonical(JSON.parse(JSON.stringify(group)))
    const last = groups.at(-1)
    if (last?.key === key) last.similarities.push(similarity)
    else groups.push({ key, similarities: [similarity] })
  }
  return groups
}

const isDescending = (numbers: readonly number[]) =>
  numbers.slice(1).every((number, index) => number <= (numbers[index] ?? 0))

/** The page of groups that comparing everything makes. */
function flawsOfExact({ options }: Question, given: readonly Group[], ranked: readonly Ranked[]) {
  const { limit = usual.limit, offset = 0, group_by: path = '' } = options
  const { threshold = usual.threshold, group_size: size = usual.groupSize } = options
  const groups = new Map<string, number[]>()
  for (const { document, similarity } of ranked) {
    const key = canonical(valueAt(path, document.metadata) ?? null)
    groups.set(key, [...(groups.get(key) ?? []), similarity])
  }
  const heads = [...groups.values()].map(([head = 0]) => head)
  const onPage = (least: number) =>
    Math.min(limit, Math.max(0, heads.filter((head) => head >= least).length - offset))
  if (given.length < onPage(threshold) || given.length > onPage(threshold - tolerance)) {
    return [`${given.length} groups, not ${onPage(threshold)}`]
  }
  return given.flatMap(({ key, similarities }, index) => {
    const members = groups.get(key) ?? []
    const certain = Math.min(size, members.filter((similarity) => similarity >= threshold).length)
    const isRight =
      isNear(members[0], heads[offset + index]) &&
      similarities.every((similarity, place) => isNear(similarity, members[place])) &&
      similarities.length >= certain &&
      similarities.length <= size
    const shown = `${similarities}, not ${members.slice(0, size)}`
    return isRight ? [] : [`group ${key}, of which the best is ${heads[offset + index]}: ${shown}`]
  })
}

const isNear = (one = Number.NaN, other = Number.NaN) =>
  Math.abs(Math.max(0, one) - Math.max(0, other)) <= tolerance

/** Equal for equal values: jsonb has an order of its own for keys. */
function canonical(value: Json): string {
  if (isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join()}}`
}
