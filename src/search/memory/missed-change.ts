import type { Change } from '../../collections/change-listener.ts'
import { changesAfter } from '../../collections/changes.ts'
import type { Db } from '../../db/database.ts'
import { receivedVector } from '../../vectors/encoding.ts'
import type { CollectionState } from './candidates.ts'
import { readVectorsOf } from './read-vectors.ts'

/**
 * What others have changed after a revision, in its present state: nothing in it is older than the
 * revision of the change.
 * @returns undefined if the collection has to be read anew
 */
export async function missedChange(
  db: Db,
  { collectionId, dimensions }: CollectionState,
  after: number,
): Promise<Change | undefined> {
  const changes = await changesAfter(db, collectionId, after)
  if (changes === undefined) return undefined
  const { revision, textIds } = changes
  const added: { textId: string; vector: Float32Array }[] = []
  for await (const rows of readVectorsOf(db, { collectionId, dimensions }, textIds)) {
    for (const { textId, vector } of rows) added.push({ textId, vector: receivedVector(vector) })
  }
  return { collectionId, after, revision, removed: textIds, added }
}
