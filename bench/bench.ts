import type { Plan } from './plan.ts'
import type { Report } from './report.ts'

/** What every part gets. */
export interface Bench {
  readonly plan: Plan
  readonly report: Report
}

/** What the parts on PostgreSQL get: a server where they create databases of their own. */
export interface PostgresBench extends Bench {
  readonly databaseServer: string
}
