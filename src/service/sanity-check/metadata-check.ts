import type { Database } from '../../db/database.ts'
import { ServiceError } from '../../errors.ts'
import type { MetadataSchemes } from '../../metadata-schemes/metadata-schemes.ts'
import type { Findings } from './findings.ts'
import { readMetadata, type StoredEmbedding } from './reading.ts'

const batchSize = 50
const shownCharacters = 500

/** Whose turn it is to run a scheme: no user's, so that no owner's uploads wait behind the check. */
export const nobody = 0

/** Whether a scheme was refused, for what it is or for what it costs. */
export const isRefusal = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.kind !== 'unavailable'

/** Holds metadata against the metadataScheme of their project. */
export class MetadataCheck {
  readonly #database: Database
  readonly #schemes: MetadataSchemes
  readonly #findings: Findings
  /** Projects whose metadata cannot be checked; that is an issue of its own. */
  readonly #skipped = new Set<number>()

  constructor(database: Database, schemes: MetadataSchemes, findings: Findings) {
    this.#database = database
    this.#schemes = schemes
    this.#findings = findings
  }

  skip(projectId: number): void {
    this.#skipped.add(projectId)
  }

  /** @param chunk of which the first of each project's has the scheme */
  async check(chunk: readonly StoredEmbedding[]): Promise<void> {
    for (let from = 0; from < chunk.length; ) {
      const { projectId, scheme = null } = chunk[from] ?? {}
      const next = chunk.findIndex((each, index) => index > from && each.projectId !== projectId)
      const to = next === -1 ? chunk.length : next
      if (scheme !== null) await this.#checkProject(scheme, chunk.slice(from, to))
      from = to
    }
  }

  async #checkProject(scheme: string, rows: readonly StoredEmbedding[]): Promise<void> {
    for (let start = 0; start < rows.length; start += batchSize) {
      await this.#checkBatch(scheme, rows.slice(start, start + batchSize))
    }
  }

  async #checkBatch(scheme: string, batch: readonly StoredEmbedding[]): Promise<void> {
    const [first] = batch
    if (first === undefined || this.#skipped.has(first.projectId)) return
    const project = { owner: first.owner, project_handle: first.handle }
    const metadata: string[] = []
    // One after another: 50 at once would take all connections from the searches.
    for (const row of batch) metadata.push(await this.#metadataOf(row))
    try {
      const violations = await this.#schemes.findViolations(nobody, scheme, metadata, batch.length)
      for (const { index, lines } of violations) {
        const { textId: text_id = '' } = batch[index] ?? {}
        const detail = lines.join('; ').slice(0, shownCharacters)
        this.#findings.add({ type: 'metadata', project, text_id, detail })
      }
      this.#findings.checked.metadata += batch.length
    } catch (error) {
      // Costlier than the scheme's owner may spend on an upload.
      if (!isRefusal(error)) throw error
      this.#findings.add({ type: 'metadata-unchecked', project, detail: error.message })
      this.skip(first.projectId)
    }
  }

  async #metadataOf(row: StoredEmbedding): Promise<string> {
    const metadata = row.isLarge ? await readMetadata(this.#database, row) : row.metadata
    return JSON.stringify(metadata ?? {})
  }
}
