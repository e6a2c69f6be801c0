import type { ProjectWithCollection } from '../../access/project.ts'
import { cancelled } from '../../concurrency/limiter.ts'
import type { Db } from '../../db/database.ts'
import type { MetadataSchemes } from '../../metadata-schemes/metadata-schemes.ts'
import { type EmbeddingPage, readPage } from '../page.ts'
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

export type TryScheme = ReturnType<typeof createSchemeTrial>

/**
 * Holds the metadata of all embeddings against a schema that is not set; nothing is changed. It is read some at
 * a time, with the turns of others in between.
 * @returns what takes how many violations are named, and throws 422 for what is no JSON Schema, 400 for one
 *   that takes too much time
 */
export const createSchemeTrial =
  (db: Db, schemes: MetadataSchemes) =>
  async (
    { collectionId, ownerId }: ProjectWithCollection,
    scheme: string,
    maxViolations: number,
    signal: AbortSignal,
  ): Promise<SchemeTrial> => {
    await schemes.check(ownerId, scheme)
    const violations: { text_id: string; violations: string[] }[] = []
    let checked = 0
    let violation_count = 0
    // No text_id is empty.
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: EmbeddingPage = { limit: chunkRows, offset: 0, after, looksAhead: true }
      after = undefined
      for await (const { rows, next } of readPage(db, collectionId, page, onlyMetadata)) {
        if (signal.aborted) throw cancelled()
        const texts = rows.map(({ metadata }) => metadata ?? '{}')
        const found = await schemes.findViolations(ownerId, scheme, texts, texts.length)
        checked += rows.length
        violation_count += found.length
        for (const { index, lines } of found.slice(0, maxViolations - violations.length)) {
          violations.push({ text_id: rows[index]?.textId ?? '', violations: lines })
        }
        after = next ?? after
      }
    }
    return { checked, violation_count, violations }
  }
