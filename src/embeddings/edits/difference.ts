import { createHash } from 'node:crypto'
import { findTextIds, groupsOf } from '../../collections/keys.ts'
import type { Db } from '../../db/database.ts'
import { canonicalJson } from '../../json/canonical.ts'
import { allParts } from '../include/parts.ts'
import { readByKeys } from '../page.ts'
import type { Projection, StoredRow } from '../projection.ts'

/** An embedding as a client has it. */
export interface HeldEmbedding {
  readonly textId: string
  /** Lower-case hex; undefined if only existence matters. */
  readonly sha256: string | undefined
}

interface Difference {
  /** In the order of the items. */
  readonly missing: readonly string[]
  /** The text_ids that exist with another digest. */
  readonly different: readonly string[]
}

/** How many embeddings are read and digested at once. */
const digestedAtOnce = 200
const whole: Projection = { parts: allParts, vectorFormat: 'base64' }

/**
 * Finds the items that are not stored as the client has them, with a bounded amount of data at a
 * time.
 */
export async function findDifference(
  db: Db,
  collectionId: number,
  items: readonly HeldEmbedding[],
): Promise<Difference> {
  const digested = items.filter(({ sha256 }) => sha256 !== undefined)
  const named = items.filter(({ sha256 }) => sha256 === undefined)
  const digests = await digestsOf(db, collectionId, textIdsOf(digested))
  const there = await findTextIds(db, collectionId, textIdsOf(named))
  const isThere = ({ textId }: HeldEmbedding) => there.has(textId) || digests.has(textId)
  return {
    missing: textIdsOf(items.filter((item) => !isThere(item))),
    different: textIdsOf(
      digested.filter((item) => isThere(item) && digests.get(item.textId) !== item.sha256),
    ),
  }
}

const textIdsOf = (items: readonly HeldEmbedding[]) => [
  ...new Set(items.map(({ textId }) => textId)),
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
