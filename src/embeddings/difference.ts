import { createHash } from 'node:crypto'
import { findTextIds, groupsOf } from '../collections/keys.ts'
import type { Db } from '../db/database.ts'
import { readByKeys } from './list.ts'
import { allParts, type Projection, type StoredRow } from './projection.ts'

/** An embedding as a client has it. */
export interface HeldEmbedding {
  readonly text_id: string
  /** Lower-case hex; undefined if only existence matters. */
  readonly sha256?: string | undefined
}

/** How many embeddings are read and digested at once. */
const digestedAtOnce = 200
const whole: Projection = { parts: allParts, vectorFormat: 'base64' }

/**
 * Finds the items that are not stored as the client has them, with a bounded amount of data at a
 * time.
 * @returns the text_ids that are missing, and those that exist with another digest
 */
export async function findDifference(
  db: Db,
  collectionId: number,
  items: readonly HeldEmbedding[],
) {
  const digested = items.filter(({ sha256 }) => sha256 !== undefined)
  const named = items.filter(({ sha256 }) => sha256 === undefined)
  const digests = await digestsOf(db, collectionId, textIdsOf(digested))
  const present = await findTextIds(db, collectionId, textIdsOf(named))
  const isPresent = (item: HeldEmbedding) => present.has(item.text_id) || digests.has(item.text_id)
  const isDifferent = (item: HeldEmbedding) => digests.get(item.text_id) !== item.sha256
  return {
    missing: textIdsOf(items.filter((item) => !isPresent(item))),
    different: textIdsOf(digested.filter((item) => isPresent(item) && isDifferent(item))),
  }
}

const textIdsOf = (items: readonly HeldEmbedding[]) => [
  ...new Set(items.map(({ text_id }) => text_id)),
]

async function digestsOf(db: Db, collectionId: number, textIds: readonly string[]) {
  const digests = new Map<string, string>()
  for (const keys of groupsOf(textIds, digestedAtOnce)) {
    for await (const { rows } of readByKeys(db, collectionId, keys, whole)) {
      for (const row of rows) digests.set(row.textId, digestOf(row))
    }
  }
  return digests
}

/**
 * SHA-256 in hex over the vector as little-endian float32, followed by the canonical JSON (RFC
 * 8785) of metadata and text in UTF-8, each null if missing.
 * @param row with its vector in base64
 */
function digestOf({ vector, metadata, text }: StoredRow): string {
  const content = { metadata: metadata === null ? null : JSON.parse(metadata), text }
  return createHash('sha256')
    .update(Buffer.from(JSON.parse(vector ?? '""'), 'base64'))
    .update(canonicalJson(content))
    .digest('hex')
}

/**
 * The one JSON text of a value by the JSON Canonicalization Scheme (RFC 8785): no white space, keys
 * in the order of their UTF-16 code units, numbers and strings as in ECMAScript. Recurses at each
 * level.
 */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = new Map(Object.entries(value))
  // Without a comparison function, sort() compares code units.
  const names = [...members.keys()].sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(members.get(name))}`).join()}}`
}
