import type { Dice } from './dice.ts'

export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !isArray(value)
export const isArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/** The last ones are in another order by code points than by UTF-16. */
export const books = ['Mark', 'Mar', 'Luke', 'John', 'Ünïcode', '字', '', '\uffee', '😀']
export const years: readonly Json[] = [
  1611,
  '1611',
  1700.5,
  -3,
  0.1,
  1e-7,
  1e21,
  null,
  'late',
  true,
]
export const tags: readonly Json[] = ['sermon', 'parable', '1', 1, null, false, 'größer']

function ref(dice: Dice): JsonObject {
  const chapter = dice.maybe(0.9, () => dice.whole(1, 20))
  return {
    ...(dice.chance(0.9) && { book: dice.of(books) }),
    ...(chapter !== undefined && { chapter }),
    ...(dice.chance(0.1) && { of: [dice.whole(0, 3), dice.of(books)] }),
  }
}

function listOf(dice: Dice): Json {
  const list: Json[] = dice.some(tags, dice.whole(0, 3))
  if (dice.chance(0.1)) list.push([dice.of(tags), 'deeper'])
  if (dice.chance(0.1)) list.push({ of: dice.of(tags) })
  return dice.chance(0.15) ? dice.of(tags) : list
}

/** Undefined for a document without any. */
export function newMetadata(dice: Dice): JsonObject | undefined {
  if (dice.chance(0.05)) return undefined
  return {
    ...(dice.chance(0.85) && { book: dice.of(books) }),
    ...(dice.chance(0.8) && { year: dice.of(years) }),
    ...(dice.chance(0.9) && { n: dice.whole(0, 999) }),
    ...(dice.chance(0.6) && { ref: dice.chance(0.3) ? [ref(dice), ref(dice)] : ref(dice) }),
    ...(dice.chance(0.6) && { tags: listOf(dice) }),
    ...(dice.chance(0.5) && { ok: dice.chance(0.5) }),
    ...(dice.chance(0.3) && { 'a.b': dice.whole(0, 3), text_id: dice.of(books) }),
    ...(dice.chance(0.3) && { deep: { x: { y: dice.whole(0, 5), z: { w: dice.of(tags) } } } }),
    ...(dice.chance(0.05) && { long: 'größer 字 '.repeat(dice.whole(1, 300)) }),
  }
}

/** What a filter, an exclusion or a grouping may name; the last one nobody has. */
export const paths = [
  ...['book', 'year', 'n', 'ref.book', 'ref.chapter', 'ref.of', 'tags', 'tags.of', 'ok', 'a\\.b'],
  ...['\\text_id', 'deep.x.y', 'deep.x.z.w', 'deep.x', 'nowhere.at.all'],
] as const
