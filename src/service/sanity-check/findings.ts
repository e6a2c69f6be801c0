import { maxListed, type Report } from './schemas.ts'

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
export class Findings {
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
