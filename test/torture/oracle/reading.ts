import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { List, Shown } from './answers.ts'
import type { Inquiry } from './asking.ts'
import type { Scene } from './changes.ts'
import type { Dice } from './dice.ts'
import { byCodePoints, holds, valueAt } from './holds.ts'
import { tolerance } from './judge.ts'
import { paths } from './metadata.ts'
import type { Document, Model } from './model.ts'
import { filterFor } from './questions.ts'
import { cosine, toBase64 } from './vectors.ts'

const Line = z.object({
  id: z.string().optional(),
  neighbours: z.array(z.object({ id: z.string(), similarity: z.number() })).optional(),
  done: z.literal(true).optional(),
  embeddings: z.number().optional(),
})
const fullyCompared = 25

const sorted = (documents: readonly Document[]) =>
  documents.toSorted((a, b) => byCodePoints(a.id, b.id))

const maybeFilter = (dice: Dice, model: Model) => dice.maybe(0.6, () => filterFor(dice, model))

const keptBy = (model: Model, filter: ReturnType<typeof maybeFilter>) =>
  sorted(model.all).filter((document) => filter === undefined || holds(filter, document))

/** What of an embedding is not as it is stored; learns when it was made. */
function flawsOfShown(shown: Shown, document: Document | undefined): string[] {
  if (document === undefined) return [`'${shown.text_id}' is listed`]
  const { text, metadata, vector, createdAt = shown.created_at } = document
  document.createdAt = createdAt
  const right = { text, metadata, vector: toBase64(vector), created_at: createdAt }
  const given = new Map<string, unknown>(Object.entries(shown))
  return Object.entries(right)
    .filter(([name, value]) => !isDeepStrictEqual(given.get(name), value))
    .map(([name]) => `the ${name} of '${shown.text_id}' is not what is stored`)
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
    if (!isDeepStrictEqual(ids, wanted))
      flaws.push(`${ids.length} ids are not the ${wanted.length}`)
    if (total_count !== right.length) flaws.push(`total_count ${total_count}, not ${right.length}`)
    target.complain('GET', path, undefined, flaws)
    if (from + limit >= right.length) return
  }
}

export const count: Inquiry = async ({ target, dice }, model) => {
  const filter = maybeFilter(dice, model) ?? {}
  const path = `${model.path('projects')}/count?filter=${encodeURIComponent(JSON.stringify(filter))}`
  const read = await target.read(z.object({ count: z.number() }), 'GET', path)
  const right = keptBy(model, filter).length
  if (read === undefined || read.value.count === right) return
  target.complain('GET', path, filter, [`${read.value.count}, not ${right}`])
}

export const get: Inquiry = async ({ target, dice }, model) => {
  const [document] = dice.some(model.all, 1)
  if (document === undefined) return
  const path = `${model.path('embeddings')}/${encodeURIComponent(document.id)}?vector_format=base64`
  const read = await target.read(Shown, 'GET', path)
  if (read !== undefined)
    target.complain('GET', path, undefined, flawsOfShown(read.value, document))
}

export const project: Inquiry = async ({ target }, model) => {
  const path = model.path('projects')
  const read = await target.read(z.object({ embedding_count: z.number() }), 'GET', path)
  const counted = read?.value.embedding_count
  const { size } = model.documents
  if (counted !== size)
    target.complain('GET', path, undefined, [`${counted} embeddings, not ${size}`])
}

/** The nearest of every embedding; some rows are compared, of the others only that they are there. */
export const neighbours: Inquiry = async ({ target, dice }, model) => {
  const filter = maybeFilter(dice, model)
  const different = dice.maybe(0.4, () => dice.of(paths))
  const [k, threshold] = [dice.of([1, 5, 20]), dice.of([0, 0.5, 0.9])]
  const body = { k, threshold, filter, different }
  const path = `${model.path('similars')}/neighbours`
  const read = await target.read(z.array(Line), 'POST', path, { body })
  if (read === undefined) return
  const right = keptBy(model, filter)
  const rows = read.value.flatMap(({ id, neighbours }) =>
    id === undefined || neighbours === undefined ? [] : [{ id, neighbours }],
  )
  const isWhole = read.value.at(-1)?.done === true && read.value.at(-1)?.embeddings === right.length
  const flaws = isWhole ? [] : [`it does not end with ${right.length} embeddings`]
  const ids = rows.map(({ id }) => id)
  if (
    !isDeepStrictEqual(
      ids,
      right.map(({ id }) => id),
    )
  )
    flaws.push('not a row for each embedding')
  for (const row of dice.some(rows, fullyCompared)) {
    flaws.push(...flawsOfRow(row, model, right, { k, threshold, different }))
  }
  target.complain('POST', path, body, flaws)
}

interface Row {
  readonly id: string
  readonly neighbours: readonly { readonly id: string; readonly similarity: number }[]
}

function flawsOfRow(
  { id, neighbours: given }: Row,
  model: Model,
  among: readonly Document[],
  wanted: { k: number; threshold: number; different: string | undefined },
): string[] {
  const of = model.documents.get(id)
  if (of === undefined) return [`'${id}' is no embedding`]
  const { k, threshold, different } = wanted
  const differs = (other: Document) =>
    different === undefined ||
    !isDeepStrictEqual(valueAt(different, of.metadata), valueAt(different, other.metadata))
  const similarities = new Map(
    among
      .filter((other) => other !== of && differs(other))
      .map((other) => [other.id, cosine(of.vector, of.norm, other.vector, other.norm)]),
  )
  const right = [...similarities.values()].toSorted((a, b) => b - a)
  const above = (least: number) => right.filter((similarity) => similarity >= least).length
  const [least, most] = [above(threshold), above(threshold - tolerance)].map((all) =>
    Math.min(k, all),
  )
  const isNear = (one: number, other = Number.NaN) =>
    Math.abs(one - Math.max(0, other)) <= tolerance
  const isRight = given.every(
    ({ id: other, similarity }, place) =>
      isNear(similarity, similarities.get(other)) && isNear(similarity, right[place]),
  )
  return [
    ...(given.length < (least ?? 0) || given.length > (most ?? 0)
      ? [`'${id}' has ${given.length} neighbours, not ${least}`]
      : []),
    ...(new Set(given.map((other) => other.id)).size < given.length
      ? [`'${id}' has one twice`]
      : []),
    ...(isRight ? [] : [`'${id}' has other neighbours than its nearest`]),
  ]
}

/** Which of some text_ids are missing, among them what was deleted. */
export const missing: Inquiry = async ({ target, dice }: Scene, model) => {
  const ids = dice.some([...model.everHad], 50)
  const path = `${model.path('embeddings')}/missing`
  const body = { items: ids.map((text_id) => ({ text_id })) }
  const read = await target.read(z.object({ missing: z.array(z.string()) }), 'POST', path, { body })
  const right = ids.filter((id) => !model.documents.has(id))
  if (read === undefined || isDeepStrictEqual(read.value.missing, right)) return
  target.complain('POST', path, body, [`${read.value.missing}, not ${right}`])
}
