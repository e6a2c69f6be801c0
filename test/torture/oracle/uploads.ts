import { z } from 'zod'
import { Uploaded } from './answers.ts'
import type { Dice } from './dice.ts'
import type { Document, Model } from './model.ts'
import type { Target } from './target.ts'
import { toBase64 } from './vectors.ts'

const inBatch = 500
const linesType = 'application/x-ndjson'

const Progress = z.array(
  z.object({
    lines: z.number(),
    stored: z.number(),
    replaced: z.number(),
    skipped: z.number(),
    unchanged: z.number(),
    done: z.literal(true).optional(),
  }),
)

/** What becomes of texts that are there already. */
export type Rule = 'error' | 'skip' | 'replace'

const itemOf = ({ id, vector, text, metadata }: Document, inBase64: boolean) => ({
  text_id: id,
  vector: inBase64 ? toBase64(vector) : Array.from(vector),
  ...(text !== undefined && { text }),
  ...(metadata !== undefined && { metadata }),
})

/** What the documents are to the model: new, others than there are, or the same. */
interface Sorted {
  readonly fresh: readonly Document[]
  readonly changed: readonly Document[]
  readonly same: readonly Document[]
}

export async function upload(
  target: Target,
  model: Model,
  sorted: Sorted,
  rule: Rule = 'error',
): Promise<void> {
  const { dice } = target
  const all = shuffled([...sorted.fresh, ...sorted.changed, ...sorted.same], dice)
  const path = `${model.path('embeddings')}${rule === 'error' ? '' : `?on_conflict=${rule}`}`
  for (let from = 0; from < all.length; from += inBatch) {
    const some = new Set(all.slice(from, from + inBatch))
    const part = {
      fresh: sorted.fresh.filter((document) => some.has(document)),
      changed: sorted.changed.filter((document) => some.has(document)),
      same: sorted.same.filter((document) => some.has(document)),
    }
    const send = dice.chance(0.35) ? sendLines : sendBatch
    await send(target, model, path, [...some], part, rule)
    model.keep(part.fresh)
    if (rule === 'replace') model.keep(part.changed)
    target.tally.acknowledged += 1
  }
}

/** All new. */
export const add = (target: Target, model: Model, fresh: readonly Document[]) =>
  upload(target, model, { fresh, changed: [], same: [] })

async function sendBatch(
  target: Target,
  model: Model,
  path: string,
  documents: readonly Document[],
  { fresh, changed, same }: Sorted,
  rule: Rule,
): Promise<void> {
  const inBase64 = target.dice.chance(0.6)
  const embeddings = documents.map((document) => itemOf(document, inBase64))
  const body = { instance_handle: model.instance, vector_dim: model.dimensions, embeddings }
  const answer = await target.read(Uploaded, 'POST', path, { body, expected: 201 })
  if (answer === undefined) return
  const known = [...changed, ...same]
  const expected = {
    uploaded: fresh,
    replaced: rule === 'replace' ? changed : [],
    skipped: rule === 'skip' ? known : [],
    unchanged: rule === 'replace' ? same : [],
  }
  const { uploaded, replaced, skipped, unchanged } = answer.value
  const given = new Map(Object.entries({ uploaded, replaced, skipped, unchanged }))
  for (const [name, wanted] of Object.entries(expected)) {
    const ids = given.get(name) ?? []
    const isRight = sameSet(ids, wanted)
    if (!isRight)
      target.complain('POST', path, body, [`${name}: ${ids.length} of ${wanted.length}`])
  }
}

async function sendLines(
  target: Target,
  _model: Model,
  path: string,
  documents: readonly Document[],
  { fresh, changed, same }: Sorted,
  rule: Rule,
): Promise<void> {
  const inBase64 = target.dice.chance(0.6)
  const body = documents
    .map((document) => `${JSON.stringify(itemOf(document, inBase64))}\n`)
    .join('')
  const answer = await target.read(Progress, 'POST', path, { body, contentType: linesType })
  const last = answer?.value.at(-1)
  if (answer === undefined) return
  const right = {
    lines: documents.length,
    stored: fresh.length,
    replaced: rule === 'replace' ? changed.length : 0,
    skipped: rule === 'skip' ? changed.length + same.length : 0,
    unchanged: rule === 'replace' ? same.length : 0,
    done: true,
  }
  const given = new Map<string, unknown>(Object.entries(last ?? {}))
  const isRight = Object.entries(right).every(([name, count]) => given.get(name) === count)
  if (isRight) return
  const difference = `${JSON.stringify(last)}, not ${JSON.stringify(right)}`
  target.complain('POST', path, body, [difference])
}

function sameSet(ids: readonly string[], documents: readonly Document[]): boolean {
  const wanted = new Set(documents.map(({ id }) => id))
  return ids.length === wanted.size && ids.every((id) => wanted.has(id))
}

const shuffled = <T>(all: readonly T[], dice: Dice): T[] =>
  all
    .map((one) => ({ one, at: dice.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one)
