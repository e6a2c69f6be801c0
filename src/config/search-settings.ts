import { z } from 'zod'
import { integer, setting } from './setting.ts'

export const searchSettings = {
  embeddingHosts: setting(z.string().default(''), {
    env: 'SERVICE_EMBEDDINGHOSTS',
    flag: 'embedding-hosts',
    help: 'Hosts that texts may be sent to with the keys of instances, such as api.openai.com,localhost:11434',
    default: 'none',
    example: '',
  }),
  // Comparing this many costs 5 ms of one core on PostgreSQL, and 1 ms in memory.
  exactBudget: setting(integer(0, 1e15 - 1).default(5_000_000), {
    env: 'SERVICE_EXACTBUDGET',
    flag: 'exact-budget',
    help: 'Vectors × dimensions above which a project is searched approximately',
  }),
  vectorMemory: setting(integer(0, 1_000_000).default(1_024), {
    env: 'SERVICE_VECTORMEMORY',
    flag: 'vector-memory',
    help: 'MB of vectors that each process keeps in memory; 0 for none',
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
