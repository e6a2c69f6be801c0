import { integer, setting } from './setting.ts'

/**
 * About 5 million components cost 5 ms of one core to compare on PostgreSQL. The embedded engine
 * answers nothing else while it builds an index: it searches exactly unless told otherwise.
 */
export const defaultExactBudget = { postgres: 5_000_000, embedded: Number.POSITIVE_INFINITY }

export const searchSettings = {
  exactBudget: setting(integer(0, 1e15 - 1).optional(), {
    env: 'SERVICE_EXACTBUDGET',
    flag: 'exact-budget',
    default: `${defaultExactBudget.postgres} for postgres; no limit for embedded`,
    example: `${defaultExactBudget.postgres}`,
    help: 'Vectors × dimensions above which a project gets an index',
  }),
  maxIndexes: setting(integer(0, 1_000).default(200), {
    env: 'SERVICE_MAXINDEXES',
    flag: 'max-indexes',
    help: 'Largest number of projects with an index; 0 for none',
  }),
  maxScan: setting(integer(0, 1e15 - 1).default(10_000_000_000), {
    env: 'SERVICE_MAXSCAN',
    flag: 'max-scan',
    help: 'Vectors × dimensions above which no exact search fills up what an index finds',
  }),
}
