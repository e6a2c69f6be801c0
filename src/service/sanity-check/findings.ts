import type { SearchIndex } from '../../search-indexes/policy.ts'
import type { IndexState } from '../../search-indexes/search-indexes.ts'

/** What can be found, and how bad it is: data that contradict, or that something should be looked at. */
const severities = {
  'vector-dimensions': 'FAILED',
  'instance-dimensions': 'FAILED',
  'recorded-size': 'FAILED',
  'metadata-scheme': 'FAILED',
  metadata: 'WARNING',
  'metadata-unchecked': 'WARNING',
  'index-missing': 'WARNING',
  'index-broken': 'WARNING',
} as const

type IssueType = keyof typeof severities
type Severity = (typeof severities)[IssueType]

export interface ProjectName {
  readonly owner: string
  readonly project_handle: string
}

export interface Issue {
  readonly type: IssueType
  readonly project: ProjectName
  readonly text_id?: string
  readonly detail: string
}

export interface ProjectIndex {
  readonly project: ProjectName
  readonly kind: SearchIndex['kind']
  readonly dimensions: number
  readonly state: IndexState['state']
  readonly bytes: number
  readonly recall?: {
    readonly recall: number
    readonly at_least: number
    readonly ef_search: number
    readonly candidates: number
    readonly sample: number
    readonly vectors: number
  }
}

export interface Report {
  readonly status: 'PASSED' | Severity
  readonly checked: Readonly<Record<'projects' | 'embeddings' | 'schemes' | 'metadata', number>>
  readonly issue_count: number
  readonly issue_counts: Readonly<Record<string, number>>
  readonly issues: readonly Issue[]
  readonly indexes: readonly ProjectIndex[]
}

/** Issues that are listed; all of them are counted. */
const maxListed = 100

/** What a check has come across so far. */
export class Findings {
  readonly checked = { projects: 0, embeddings: 0, schemes: 0, metadata: 0 }
  readonly #counts = new Map<IssueType, number>()
  /** Apart, so that many warnings leave no failure unlisted. */
  readonly #listed: Record<Severity, Issue[]> = { FAILED: [], WARNING: [] }

  add(issue: Issue): void {
    this.#counts.set(issue.type, (this.#counts.get(issue.type) ?? 0) + 1)
    const listed = this.#listed[severities[issue.type]]
    if (listed.length < maxListed) listed.push(issue)
  }

  report(indexes: readonly ProjectIndex[]): Report {
    const { FAILED, WARNING } = this.#listed
    const worst = WARNING.length > 0 ? 'WARNING' : 'PASSED'
    return {
      status: FAILED.length > 0 ? 'FAILED' : worst,
      checked: this.checked,
      issue_count: [...this.#counts.values()].reduce((sum, count) => sum + count, 0),
      issue_counts: Object.fromEntries(this.#counts),
      issues: [...FAILED, ...WARNING].slice(0, maxListed),
      indexes,
    }
  }
}
