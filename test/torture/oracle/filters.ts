import type { Dice } from './dice.ts'
import { books, type Json, type JsonObject, paths, tags, years } from './metadata.ts'

const smallNumbers: readonly Json[] = [0, 1, 2, 3, 5, 7, 11, 20]

function valueFor(path: string, dice: Dice): Json {
  if (dice.chance(0.05)) return dice.of([...tags, ...years])
  if (path === 'n') return dice.whole(0, 999)
  if (path === 'year') return dice.of(years)
  if (path === 'ok') return dice.chance(0.5)
  if (/book|text_id/.test(path)) return dice.of(books)
  return /tags|w$/.test(path) ? dice.of(tags) : dice.of(smallNumbers)
}

const isOrdered = (value: Json) => typeof value === 'number' || typeof value === 'string'

function condition(path: string, dice: Dice): Json {
  const value = valueFor(path, dice)
  const ordered = isOrdered(value) ? value : dice.whole(0, 999)
  const list = () => Array.from({ length: dice.whole(0, 7) }, () => valueFor(path, dice))
  return dice.weighted<() => Json>([
    [3, () => value],
    [1, () => ({ $eq: value })],
    [2, () => ({ $ne: value })],
    [2, () => ({ $gt: ordered })],
    [2, () => ({ $gte: ordered })],
    [2, () => ({ $lt: ordered })],
    [2, () => ({ $lte: ordered })],
    [2, () => ({ $in: list() })],
    [2, () => ({ $nin: list() })],
    [2, () => ({ $exists: dice.chance(0.6) })],
    [2, () => ({ $contains: value })],
    [1, () => ({ $prefix: dice.of(['M', 'Ma', 'se', '', '1', '😀']) })],
    [1, () => ({ $gte: dice.whole(0, 500), $lt: dice.whole(300, 999) })],
    [1, () => ({ $not: { $gte: ordered } })],
  ])()
}

/** What is stored, for conditions on what the embeddings are called and when they were made. */
export interface Named {
  readonly textIds: readonly string[]
  /** Of some; empty where they are not known. */
  readonly times: readonly string[]
}

function ofService(named: Named, dice: Dice): JsonObject {
  const textId = named.textIds.length > 0 ? dice.of(named.textIds) : 'nobody'
  if (named.times.length > 0 && dice.chance(0.4)) {
    const operator = dice.of(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte'])
    return { created_at: { [operator]: dice.of(named.times) } }
  }
  const some = dice.some(named.textIds, dice.whole(1, 40))
  return {
    text_id: dice.of<Json>([
      textId,
      { $ne: textId },
      { $in: [...some, 'nobody'] },
      { $nin: some },
      { $gt: textId },
      { $lte: textId },
      { $prefix: textId.slice(0, 3) },
    ]),
  }
}

const ofTexts: readonly JsonObject[] = [
  { $contains: 'GRÖSSER 字' },
  { $contains: 'anew' },
  { $contains: 'text 1' },
  { $exists: true },
  { $exists: false },
]

export function newFilter(dice: Dice, named: Named, depth = 0): JsonObject {
  const inner = () => newFilter(dice, named, depth + 1)
  const several = () => Array.from({ length: dice.whole(1, 3) }, inner)
  const path = dice.of(paths)
  return dice.weighted<() => JsonObject>([
    [8, () => ({ [path]: condition(path, dice) })],
    [1.5, () => ofService(named, dice)],
    [1, () => ({ $text: dice.of<JsonObject>(ofTexts) })],
    [1.5, () => ({ n: { [dice.of(['$lt', '$gte'])]: dice.whole(0, 999) } })],
    [depth < 2 ? 1.5 : 0, () => ({ ...inner(), ...inner() })],
    [depth < 2 ? 1 : 0, () => ({ $and: several() })],
    [depth < 2 ? 1.5 : 0, () => ({ $or: several() })],
    [depth < 2 ? 1 : 0, () => ({ $not: inner() })],
    [depth === 0 ? 0.2 : 0, () => ({})],
  ])()
}
