import { z } from 'zod'
import { linesType } from '../http-client.ts'
import type { Document, Model } from './model.ts'
import type { Target } from './target.ts'
import { toBase64 } from './vectors.ts'

const inBatch = 500

const TextIds = z.array(z.string()).default([])
const Uploaded = z.object({
  uploaded: TextIds,
  replaced: TextIds,
  skipped: TextIds,
  unchanged: TextIds,
})
const Progress = z.array(
  z.object({
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
  readonly changed?: readonly Document[]
  readonly same?: readonly Document[]
}

export async function upload(
  target: Target,
  model: Model,
  { fresh, changed = [], same = [] }: Sorted,
  rule: Rule = 'error',
): Promise<void> {
  const shuffled = target.dice.some([...fresh, ...changed, ...same], Number.POSITIVE_INFINITY)
  for (let from = 0; from < shuffled.length; from += inBatch) {
    const some = shuffled.slice(from, from + inBatch)
    const within = (documents: readonly Document[]) => {
      const wanted = new Set(documents)
      return some.filter((document) => wanted.has(document))
    }
    await send(target, model, some, rule, {
      uploaded: within(fresh),
      replaced: rule === 'replace' ? within(changed) : [],
      skipped: rule === 'skip' ? within([...changed, ...same]) : [],
      unchanged: rule === 'replace' ? within(same) : [],
    })
    model.keep(within(rule === 'replace' ? [...fresh, ...changed] : fresh))
    target.tally.acknowledged += 1
  }
}

/** As a batch, whose answer names the texts, or as lines, whose answer counts them. */
async function send(
  target: Target,
  model: Model,
  documents: readonly Document[],
  rule: Rule,
  wanted: Readonly<Record<string, readonly Document[]>>,
): Promise<void> {
  const inBase64 = target.dice.chance(0.6)
  const items = documents.map((document) => itemOf(document, inBase64))
  const path = `${model.path('embeddings')}${rule === 'error' ? '' : `?on_conflict=${rule}`}`
  if (target.dice.chance(0.35)) {
    const body = items.map((item) => `${JSON.stringify(item)}\n`).join('')
    const answer = await target.read(Progress, 'POST', path, { body, contentType: linesType })
    const last = answer?.value.at(-1)
    const { uploaded: stored = [], ...others } = wanted
    const right = Object.entries({ stored, ...others }).map(([name, of]) => [name, of.length])
    const isRight = right.every(([name, count]) => Object(last)[`${name}`] === count)
    if (isRight && last?.done === true) return
    const difference = `${JSON.stringify(last)}, not ${JSON.stringify(right)}`
    return target.complain('POST', path, body, [difference])
  }
  const body = { instance_handle: model.instance, vector_dim: model.dimensions, embeddings: items }
  const answer = await target.read(Uploaded, 'POST', path, { body, expected: 201 })
  for (const [name, ids] of Object.entries(answer?.value ?? {})) {
    const right = new Set(wanted[name]?.map(({ id }) => id))
    if (ids.length === right.size && ids.every((id) => right.has(id))) continue
    target.complain('POST', path, body, [`${name}: ${ids.length} of ${right.size}`])
  }
}
