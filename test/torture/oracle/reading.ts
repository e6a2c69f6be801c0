import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { List, type Shown } from './answers.ts'
import type { Inquiry } from './asking.ts'
import type { Dice } from './dice.ts'
import { byCodePoints, holds, valueAt } from './holds.ts'
import { flawsOfParts, partsOf, tolerance } from './judge.ts'
import { paths } from './metadata.ts'
import type { Document, Model } from './model.ts'
import { filterFor } from './questions.ts'
import { cosine } from './vectors.ts'

const fullyCompared = 25

const maybeFilter = (dice: Dice, model: Model) => dice.maybe(0.6, () => filterFor(dice, model))

const keptBy = (model: Model, filter: ReturnType<typeof maybeFilter>) =>
  model.all
    .filter((document) => filter === undefined || holds(filter, document))
    .toSorted((a, b) => byCodePoints(a.id, b.id))

/** What of an embedding is not as it is stored; learns when it was made. */
function flawsOfShown(shown: Shown, document: Document | undefined): string[] {
  if (document === undefined) return [`'${shown.text_id}' is listed`]
  document.createdAt ??= shown.created_at
  const stored = { ...Object.fromEntries(partsOf(document)), created_at: document.createdAt }
  return flawsOfParts(shown.text_id, shown, stored)
}

/** Reads a list by its pages. */
export const list: Inquiry = async ({ target, dice }, model) => {
  const filter = maybeFilter(dice, model)
  const right = keptBy(model, filter)
  const limit = dice.of([10, 200, 200])
  const byAfter = dice.chance(0.5)
  const chosen = filter === undefined ? '' : `&filter=${encodeURIComponent(JSON.stringify(filter))}`
  const most = filter === undefined && limit === 200 ? 100 : 4
  for (let page = 0; page < most; page += 1) {
    const from = page * limit
    const after = right[from - 1]?.id ?? ''
    const place = byAfter ? `after=${encodeURIComponent(after)}` : `offset=${from}`
    const path = `${model.path('embeddings')}?limit=${limit}&${place}&vector_format=base64${chosen}`
    const read = await target.read(List, 'GET', path)
    if (read === undefined) return
    const { embeddings, total_count } = read.value
    const wanted = right.slice(from, from + limit).map(({ id }) => id)
    const ids = embeddings.map(({ text_id }) => text_id)
    const flaws = embeddings.flatMap((one) => flawsOfShown(one, model.documents.get(one.text_id)))
    if (!isDeepStrictEqual(ids, wanted)) {
      flaws.push(`${ids.length} ids are not the ${wanted.length}`)
    }
    if (total_count !== right.length) flaws.push(`total_count ${total_count}, not ${right.length}`)
    target.complain('GET', path, undefined, flaws)
    if (from + limit >= right.length) return
  }
}

/** With a filter, and as the project knows it. */
export const count: Inquiry = async ({ target, dice }, model) => {
  const filter = maybeFilter(dice, model) ?? {}
  const path = `${model.path('projects')}/count?filter=${encodeURIComponent(JSON.stringify(filter))}`
  const counted = await target.read(z.object({ count: z.number() }), 'GET', path)
  const of = model.path('projects')
  const project = await target.read(z.object({ embedding_count: z.number() }), 'GET', of)
  const given = [counted?.value.count, project?.value.embedding_count]
  const right = [keptBy(model, filter).length, model.documents.size]
  if (!isDeepStrictEqual(given, right))
    target.complain('GET', path, filter, [`${given}, not ${right}`])
}

const Line = z.object({
  id: z.string().optional(),
  neighbours: z.array(z.object({ id: z.string(), similarity: z.number() })).default([]),
  done: z.literal(true).optional(),
})
type Line = z.output<typeof Line>

/** The nearest of every embedding; some rows are compared, of the others only that they are there. */
export const neighbours: Inquiry = async ({ target, dice }, model) => {
  const filter = maybeFilter(dice, model)
  const wanted = {
    k: dice.of([1, 5, 20]),
    threshold: dice.of([0, 0.5, 0.9]),
    different: dice.maybe(0.4, () => dice.of(paths)),
  }
  const body = { ...wanted, filter }
  const path = `${model.path('similars')}/neighbours`
  const read = await target.read(z.array(Line), 'POST', path, { body })
  if (read === undefined) return
  const right = keptBy(model, filter)
  const rows = read.value.filter(({ id }) => id !== undefined)
  const isWhole =
    read.value.at(-1)?.done === true &&
    isDeepStrictEqual(
      rows.map(({ id }) => id),
      right.map(({ id }) => id),
    )
  const flaws = isWhole ? [] : ['not a row for each embedding']
  for (const row of dice.some(rows, fullyCompared)) {
    flaws.push(...flawsOfRow(row, model, right, wanted))
  }
  target.complain('POST', path, body, flaws)
}

interface Wanted {
  readonly k: number
  readonly threshold: number
  readonly different: string | undefined
}

function flawsOfRow(
  { id = '', neighbours: given }: Line,
  model: Model,
  among: readonly Document[],
  { k, threshold, different }: Wanted,
): string[] {
  const of = model.documents.get(id)
  if (of === undefined) return [`'${id}' is no embedding`]
  const differs = (other: Document) =>
    different === undefined ||
    !isDeepStrictEqual(valueAt(different, of.metadata), valueAt(different, other.metadata))
  const similarities = new Map(
    among
      .filter((other) => other !== of && differs(other))
      .map((other) => [other.id, cosine(of.vector, of.norm, other.vector, other.norm)]),
  )
  const right = [...similarities.values()].toSorted((a, b) => b - a)
  const most = (least: number) => Math.min(k, right.filter((one) => one >= least).length)
  const isNear = (one: number, other = Number.NaN) =>
    Math.abs(one - Math.max(0, other)) <= tolerance
  const isRight =
    given.length >= most(threshold) &&
    given.length <= most(threshold - tolerance) &&
    new Set(given.map((other) => other.id)).size === given.length &&
    given.every(
      ({ id: other, similarity }, place) =>
        isNear(similarity, similarities.get(other)) && isNear(similarity, right[place]),
    )
  return isRight ? [] : [`'${id}' has other neighbours than its nearest: ${JSON.stringify(given)}`]
}
