import type { Database, Db } from '../../db/database.ts'
import { conflict, ServiceError, unavailable } from '../../errors.ts'
import type { MetadataSchemes } from '../../metadata-schemes/metadata-schemes.ts'
import type { SearchIndexes } from '../../search/index/search-indexes.ts'
import { maxListed, type Report } from './schemas.ts'
import {
  type CheckedProject,
  metadataAtOnce,
  nextMetadata,
  projectsToCheck,
  rowsAtOnce,
  sizesOf,
  wrongLengths,
} from './statements.ts'

const shownCharacters = 500
/**
 * The owner in whose name the check runs schemes. No user has this id, so no owner's uploads wait
 * behind the check.
 */
const nobody = 0

const indexFaults = {
  missing: {
    type: 'index-missing',
    detail: 'the project is large enough for a search index, but has none (yet)',
  },
  broken: {
    type: 'index-broken',
    detail: 'the build of the search index was broken off; it will be built again',
  },
} as const

export type SanityCheck = ReturnType<typeof createSanityCheck>

/** Checks all stored data against the rules by which they were stored. It changes nothing. */
export function createSanityCheck(
  database: Database,
  schemes: MetadataSchemes,
  searchIndexes: SearchIndexes,
) {
  const { db } = database.search
  let running = false

  async function check(signal: AbortSignal) {
    const findings = new Findings()
    const faults = await searchIndexes.faults()
    for await (const checked of projectsToCheck(database.short.db)) {
      const { project, collectionId } = checked
      findings.checked.projects += 1
      await checkVectors(db, checked, findings, signal)
      await checkMetadata(db, schemes, checked, findings, signal)
      const fault = faults.get(collectionId)
      if (fault !== undefined) findings.add({ ...indexFaults[fault], project })
    }
    return findings.report()
  }

  return {
    /** @throws 409 while another check runs in this process, because a check reads everything */
    async run(signal: AbortSignal) {
      if (running) throw conflict('A sanity check is running already; wait for it to end')
      running = true
      try {
        return await check(signal)
      } finally {
        running = false
      }
    },
  }
}

function refuseUnwanted(signal: AbortSignal): void {
  if (signal.aborted) throw unavailable('The check was given up: nobody waits for its answer')
}

const inWords = ({ vectors, dimensions }: { vectors: number; dimensions: number | null }) =>
  `${vectors} vectors of ${dimensions} dimensions`

async function checkVectors(
  db: Db,
  checked: CheckedProject,
  findings: Findings,
  signal: AbortSignal,
): Promise<void> {
  const { project, recorded } = checked
  let vectors = 0
  let isSame = true
  for (let after: string | undefined = ''; after !== undefined; ) {
    refuseUnwanted(signal)
    const rows: Awaited<ReturnType<typeof wrongLengths>> = await wrongLengths(db, checked, after)
    for (const { textId: text_id, vectorDim, elements, dimensions } of rows) {
      if (vectorDim !== elements) {
        const detail = `vector_dim is ${vectorDim}, but the vector has ${elements} elements`
        findings.add({ type: 'vector-dimensions', project, text_id, detail })
      }
      if (dimensions !== null && dimensions !== elements) {
        const detail = `the vector has ${elements} elements, but the project's LLM service instance ${dimensions} dimensions`
        findings.add({ type: 'instance-dimensions', project, text_id, detail })
      }
    }
    const last = rows.at(-1)
    vectors += last?.read ?? 0
    if (last !== undefined && last.elements !== recorded.dimensions) isSame = false
    after = last?.read === rowsAtOnce ? last.textId : undefined
  }
  findings.checked.embeddings += vectors
  // Counting a large project in one statement takes a while.
  if (vectors !== recorded.vectors || !isSame) await checkSizes(db, checked, findings)
}

/** Uploads and deletions go on meanwhile: only what differs at one moment is a finding. */
async function checkSizes(db: Db, checked: CheckedProject, findings: Findings): Promise<void> {
  const [sizes] = await sizesOf(db, checked)
  if (sizes === undefined) return
  const { recorded, found } = sizes
  const isSame = found.vectors === 0 || recorded.dimensions === found.dimensions
  if (recorded.vectors === found.vectors && isSame) return
  const detail = `${inWords(recorded)} are recorded, but there are ${inWords(found)}`
  findings.add({ type: 'recorded-size', project: checked.project, detail })
}

async function checkMetadata(
  db: Db,
  schemes: MetadataSchemes,
  checked: CheckedProject,
  findings: Findings,
  signal: AbortSignal,
): Promise<void> {
  const { project, scheme } = checked
  if (scheme === null) return
  findings.checked.schemes += 1
  let type: 'metadata-scheme' | 'metadata-unchecked' = 'metadata-scheme'
  try {
    // The scheme was valid when it was stored, but an older version may have had other rules.
    await schemes.check(nobody, scheme)
    type = 'metadata-unchecked'
    for (let after: string | undefined = ''; after !== undefined; ) {
      refuseUnwanted(signal)
      const rows: Awaited<ReturnType<typeof nextMetadata>> = await nextMetadata(db, checked, after)
      const texts = rows.map(({ json }) => json)
      const violations = await schemes.findViolations(nobody, scheme, texts, texts.length)
      for (const { index, lines } of violations) {
        const detail = lines.join('; ').slice(0, shownCharacters)
        findings.add({ type: 'metadata', project, text_id: rows[index]?.textId ?? '', detail })
      }
      findings.checked.metadata += rows.length
      after = rows.length < metadataAtOnce ? undefined : rows.at(-1)?.textId
    }
  } catch (error) {
    // A scheme is refused if it is invalid, or if it costs more than an upload may.
    if (!(error instanceof ServiceError) || error.kind === 'unavailable') throw error
    findings.add({ type, project, detail: error.message })
  }
}

type Issue = Report['issues'][number]

/**
 * Issues that make the check fail, because stored data contradict each other. All others are
 * warnings.
 */
const failures: readonly Issue['type'][] = [
  'vector-dimensions',
  'instance-dimensions',
  'recorded-size',
  'metadata-scheme',
]

/** Collects the findings of a check. */
class Findings {
  readonly checked = { projects: 0, embeddings: 0, schemes: 0, metadata: 0 }
  readonly #counts: Record<string, number> = {}
  /** Separate from the warnings, so that many warnings cannot displace failures. */
  readonly #failures: Issue[] = []
  readonly #warnings: Issue[] = []

  add(issue: Issue): void {
    this.#counts[issue.type] = (this.#counts[issue.type] ?? 0) + 1
    const listed = failures.includes(issue.type) ? this.#failures : this.#warnings
    if (listed.length < maxListed) listed.push(issue)
  }

  report(): Report {
    const worst = this.#warnings.length > 0 ? 'WARNING' : 'PASSED'
    return {
      status: this.#failures.length > 0 ? 'FAILED' : worst,
      checked: this.checked,
      issue_count: Object.values(this.#counts).reduce((sum, count) => sum + count, 0),
      issue_counts: this.#counts,
      issues: [...this.#failures, ...this.#warnings].slice(0, maxListed),
    }
  }
}
