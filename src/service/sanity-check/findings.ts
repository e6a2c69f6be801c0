import type { IndexState, MeasuredRecall } from '../../search/index/search-indexes.ts'
import { maxListed, type Report } from './schemas.ts'
import type { CheckedProject } from './statements.ts'

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

const ofIndexes = {
  missing: ['index-missing', 'the project is large enough for a search index, but has none (yet)'],
  broken: ['index-broken', 'the build of the search index was broken off; it will be built again'],
} as const

/** Collects the findings of a check. */
export class Findings {
  readonly checked = { projects: 0, embeddings: 0, schemes: 0, metadata: 0 }
  readonly #counts: Record<string, number> = {}
  /** Separate from the warnings, so that many warnings cannot displace failures. */
  readonly #failures: Issue[] = []
  readonly #warnings: Issue[] = []
  readonly #indexes: Report['indexes'] = []

  add(issue: Issue): void {
    this.#counts[issue.type] = (this.#counts[issue.type] ?? 0) + 1
    const listed = failures.includes(issue.type) ? this.#failures : this.#warnings
    if (listed.length < maxListed) listed.push(issue)
  }

  addIndex(
    { project }: CheckedProject,
    { kind, dimensions, state, bytes, recall }: IndexState,
  ): void {
    this.#indexes.push({
      project,
      kind,
      dimensions,
      state,
      bytes,
      ...(recall && { recall: asShown(recall) }),
    })
    if (state === 'valid' || state === 'building') return
    const [type, detail] = ofIndexes[state]
    this.add({ type, project, detail })
  }

  report(largest: Report['largest']): Report {
    const worst = this.#warnings.length > 0 ? 'WARNING' : 'PASSED'
    return {
      status: this.#failures.length > 0 ? 'FAILED' : worst,
      checked: this.checked,
      issue_count: Object.values(this.#counts).reduce((sum, count) => sum + count, 0),
      issue_counts: this.#counts,
      issues: [...this.#failures, ...this.#warnings].slice(0, maxListed),
      indexes: this.#indexes,
      largest,
    }
  }
}

const asShown = ({ recall, atLeast, efSearch, candidates, sample, vectors }: MeasuredRecall) => ({
  recall,
  at_least: atLeast,
  ef_search: efSearch,
  candidates,
  sample,
  vectors,
})
