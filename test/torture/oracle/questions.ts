import type { Dice } from './dice.ts'
import { type Named, newFilter } from './filters.ts'
import { valueAt } from './holds.ts'
import { isArray, type JsonObject, paths } from './metadata.ts'
import type { Document, Model } from './model.ts'
import type { Options, Question } from './question.ts'
import type { Kind } from './vectors.ts'

const mostFilters = 6

/** What filters can be about. Of times only where all are known: else nobody could say what is right. */
export function namedOf(model: Model, dice: Dice): Named {
  const { all } = model
  const times = all.flatMap(({ createdAt = [] }) => createdAt)
  return {
    textIds: dice.some(all, 60).map(({ id }) => id),
    times: times.length === all.length ? dice.some(times, 3) : [],
  }
}

/** One of those that were asked before, or a new one. */
export function filterFor(dice: Dice, model: Model): JsonObject {
  const { filters } = model
  if (filters.length > 0 && dice.chance(0.5)) return dice.of(filters)
  const named = namedOf(model, dice)
  const filter = newFilter(dice, named)
  // Of what comes later it is not known when it was made.
  if (named.times.length === 0) filters.push(filter)
  if (filters.length > mostFilters) filters.shift()
  return filter
}

/** @param known a document of the project; by its metadata something is left out, most of the time */
function exclusion(dice: Dice, known: Document): Options {
  const metadata_path = dice.of(paths)
  const value = valueAt(metadata_path, known.metadata) ?? 'nothing'
  const scalar = isArray(value) ? value[0] : value
  const metadata_value = typeof scalar === 'object' ? '' : `${scalar}`
  return { metadata_path, metadata_value }
}

/** Thresholds are also just what some document has. */
const thresholdOf = (dice: Dice): number | undefined =>
  dice.of([undefined, undefined, 0, 0, 0, 0.3, 0.8, 1, dice.random()])

function newOptions(dice: Dice, model: Model, known: Document): Options {
  const filter = dice.maybe(0.45, () => filterFor(dice, model))
  return {
    limit: dice.of([undefined, 1, 5, 10, 10, 20, 50, 200]),
    offset: dice.of([undefined, undefined, undefined, 0, 3, 50, 150, dice.whole(0, 2_500)]),
    threshold: thresholdOf(dice),
    filter,
    ...(dice.chance(0.15) ? exclusion(dice, known) : {}),
    exact: dice.maybe(0.2, () => true),
    min_recall: dice.maybe(0.12, () => dice.of([0.9, 0.95, 0.99, 0.999])),
    totals: dice.maybe(0.12, () => true),
    include: dice.maybe(0.2, () => dice.some(['text', 'metadata', 'vector'], dice.whole(1, 3))),
  }
}

export const grouping = (dice: Dice): Options => ({
  group_by: dice.of(paths),
  group_size: dice.of([undefined, 1, 2, 5]),
  limit: dice.of([undefined, 3, 10, 30]),
  offset: dice.of([undefined, undefined, 2, 5]),
})

/** What a vector is like: the documents of a kind, what lies between two of them, or nothing that is stored. */
export type Near = Kind | 'between' | 'anywhere'

export interface Aim {
  readonly near: Near
  readonly textId: string | undefined
  readonly vector: Float32Array
}

export function newAim(dice: Dice, model: Model, document: Document): Aim {
  const { kind, id, vector } = document
  const { source } = model
  const between = () => {
    const others = dice.some(model.ofKind(kind), 1)
    return source.between(vector, others[0]?.vector ?? vector)
  }
  return dice.weighted<() => Aim>([
    [4, () => ({ near: kind, textId: id, vector })],
    [4, () => ({ near: kind, textId: undefined, vector: source.next(kind) })],
    [2, () => ({ near: kind, textId: undefined, vector })],
    [1, () => ({ near: 'between', textId: undefined, vector: between() })],
    [0.5, () => ({ near: 'anywhere', textId: undefined, vector: source.anywhere() })],
  ])()
}

export interface Aimed extends Question {
  readonly near: Near
}

/** @returns undefined where nothing is stored */
export function newQuestion(dice: Dice, model: Model, grouped = false): Aimed | undefined {
  const recent = model.recent.flatMap((id) => model.documents.get(id) ?? [])
  const [document] = dice.some(recent.length > 0 && dice.chance(0.4) ? recent : model.all, 1)
  if (document === undefined) return undefined
  const aim = newAim(dice, model, document)
  const options = {
    ...newOptions(dice, model, document),
    ...(grouped ? grouping(dice) : {}),
    ...(aim.textId !== undefined && dice.chance(0.2) ? { include_self: true as const } : {}),
  }
  return { ...aim, options }
}

/** The usual ten, by which recall is counted. */
export function probe(dice: Dice, model: Model, document: Document): Aimed {
  const filter = dice.maybe(0.2, () => filterFor(dice, model))
  return {
    ...newAim(dice, model, document),
    options: { threshold: 0, filter, min_recall: dice.maybe(0.05, () => 0.95) },
  }
}
