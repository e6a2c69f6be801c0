import { createHash } from 'node:crypto'
import {
  readLines,
  type SemblanceClient,
  SemblanceError,
  withRetries,
} from '../../client/client.ts'
import { inBatches } from '../../concurrency/batches.ts'
import type { ConflictRule } from '../../embeddings/conflict-rule.ts'
import { canonicalJson } from '../../json/canonical.ts'
import { linesType } from '../../json/lines-type.ts'
import { vectorToBase64 } from '../../vectors/encoding.ts'
import type { Destination } from './destination.ts'
import type { Item } from './item.ts'

export interface Sums {
  done: number
  stored: number
  replaced: number
}

interface Progress {
  readonly stored: number
  readonly replaced: number
}

const blockLimits = { maxItems: 2_000, maxBytes: 8 * 1024 * 1024 }
/** Of a block, for a server that restarts: a minute in all. */
const retries = 8

/** What goes in one request. */
export const blocksOf = (items: AsyncIterable<Item>) => inBatches(items, bytesOf, blockLimits)

/** Roughly, as it is sent. */
function bytesOf({ vector, text = '', metadata }: Item): number {
  const characters = text.length + (metadata === undefined ? 0 : JSON.stringify(metadata).length)
  return (4 / 3) * vector.byteLength + characters + 256
}

/** Sends blocks, so many at a time; after the first that fails no more. */
export async function upload(
  blocks: AsyncGenerator<Item[], void>,
  send: (block: readonly Item[]) => Promise<void>,
  concurrency: number,
): Promise<void> {
  let hasFailed = false
  const sendSome = async () => {
    while (!hasFailed) {
      const { value: block } = await blocks.next()
      if (block === undefined) return
      await send(block)
    }
  }
  const sender = () =>
    sendSome().catch((error) => {
      hasFailed = true
      throw error
    })
  const ended = await Promise.allSettled(Array.from({ length: concurrency }, sender))
  for (const outcome of ended) if (outcome.status === 'rejected') throw outcome.reason
}

/**
 * Sends what of a block is not there, or with replace not the same; again after what passes by itself.
 * @param client that does not try again by itself
 * @param sums are added to
 */
export async function sendBlock(
  client: SemblanceClient,
  path: Destination,
  rule: ConflictRule,
  block: readonly Item[],
  sums: Sums,
): Promise<void> {
  const send = async () => {
    const items = rule === 'error' ? block : await missingOf(client, path, rule, block)
    return items.length === 0 ? undefined : post(client, path, rule, items)
  }
  // A connection may be lost behind an upload that was stored: sent again, it would be a conflict.
  const last = await withRetries(rule === 'error' ? 0 : retries, send)
  sums.stored += last?.stored ?? 0
  sums.replaced += last?.replaced ?? 0
  sums.done += block.length
}

/** @returns the last line of the answer */
async function post(
  client: SemblanceClient,
  path: Destination,
  rule: ConflictRule,
  items: readonly Item[],
): Promise<Progress | undefined> {
  try {
    const answer = await client.POST('/v1/embeddings/{user}/{project}', {
      params: { path, query: { on_conflict: rule } },
      headers: { 'Content-Type': linesType },
      body: items.map(lineOf).join(''),
      parseAs: 'stream',
    })
    let last: Progress | undefined
    for await (const line of readLines<Progress>(answer, 'done')) last = line
    return last
  } catch (error) {
    throw withLineOfFile(error, items)
  }
}

async function missingOf(
  client: SemblanceClient,
  path: Destination,
  rule: ConflictRule,
  block: readonly Item[],
): Promise<readonly Item[]> {
  const items = block.map((item) => ({
    text_id: item.text_id,
    ...(rule === 'replace' && { sha256: digestOf(item) }),
  }))
  const { data } = await client.POST('/v1/embeddings/{user}/{project}/missing', {
    params: { path },
    body: { items },
  })
  const wanted = new Set([...data.missing, ...data.different])
  return block.filter(({ text_id }) => wanted.has(text_id))
}

/** See docs/reading-and-changing.md, What a client still has to upload. */
const digestOf = (item: Item) =>
  createHash('sha256')
    .update(Buffer.from(vectorToBase64(item.vector), 'base64'))
    .update(canonicalJson({ metadata: item.metadata ?? null, text: item.text ?? null }))
    .digest('hex')

const lineOf = ({ line: _, vector, ...rest }: Item) =>
  `${JSON.stringify({ ...rest, vector: vectorToBase64(vector) })}\n`

/** The server counts the lines of a request. */
function withLineOfFile(error: unknown, items: readonly Item[]): unknown {
  if (!(error instanceof SemblanceError)) return error
  const detail = error.detail.replace(
    /(^|\()line (\d+)(?=[:,)])/,
    (_, before: string, number: string) => `${before}line ${items[Number(number) - 1]?.line}`,
  )
  const { status, title, requestId, retryAfter } = error
  return new SemblanceError({ status, title, detail, requestId, retryAfter, cause: error })
}
