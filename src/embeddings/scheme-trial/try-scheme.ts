import type { ProjectWithCollection } from '../../access/project.ts'
import { cancelled } from '../../concurrency/limiter.ts'
import type { Db } from '../../db/database.ts'
import type { MetadataSchemes } from '../../metadata-schemes/metadata-schemes.ts'
import { readPage } from '../page.ts'
import type { Projection } from '../projection.ts'

const chunkRows = 500
const onlyMetadata: Projection = {
  parts: { text: false, metadata: true, vector: false },
  vectorFormat: 'json',
}

/** What of a project does not satisfy a schema. */
interface SchemeTrial {
  readonly checked: number
  readonly violation_count: number
  /** The first of them by text_id. */
  readonly violations: readonly { readonly text_id: string; readonly violations: string[] }[]
}

/**
 * Holds the metadata of all embeddings against a schema that is not set; nothing is changed. It is read some at
 * a time, with the turns of others in between.
 * @param maxViolations how many are named; all are counted
 * @throws 422 for what is no JSON Schema, 400 for one that takes too much time
 */
async function tryScheme(
  db: Db,
  schemes: MetadataSchemes,
  { collectionId, ownerId }: ProjectWithCollection,
  scheme: string,
  maxViolations: number,
  signal: AbortSignal,
): Promise<SchemeTrial> {
  await schemes.check(ownerId, scheme)
  const violations: { text_id: string; violations: string[] }[] = []
  let checked = 0
  let violationCount = 0
  for (let after: string | undefined, isMore = true; isMore; ) {
    const page = { limit: chunkRows, offset: 0, after, looksAhead: true }
    isMore = false
    for await (const { rows, next } of readPage(db, collectionId, page, onlyMetadata)) {
      if (signal.aborted) throw cancelled()
      const texts = rows.map(({ metadata }) => metadata ?? '{}')
      const found = await schemes.findViolations(ownerId, scheme, texts, texts.length)
      checked += rows.length
      violationCount += found.length
      for (const { index, lines } of found.slice(0, maxViolations - violations.length)) {
        violations.push({ text_id: rows[index]?.textId ?? '', violations: lines })
      }
      if (next !== undefined) {
        after = next
        isMore = true
      }
    }
  }
  return { checked, violation_count: violationCount, violations }
}

export type TryScheme = ReturnType<typeof createSchemeTrial>

/** What tries a schema on what is stored, as `tryScheme` says. */
export const createSchemeTrial =
  (db: Db, schemes: MetadataSchemes) =>
  (project: ProjectWithCollection, scheme: string, maxViolations: number, signal: AbortSignal) =>
    tryScheme(db, schemes, project, scheme, maxViolations, signal)
