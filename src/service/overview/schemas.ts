import { z } from '@hono/zod-openapi'
import { exampleIndex, ListedIndex, ListedProject } from '../sanity-check/schemas.ts'
import { maxOverviewItems } from './overview.ts'

const Whole = z.int().min(0)
const Time = z.iso.datetime()
const EstimatedBytes = Whole.openapi({
  description:
    'An estimate of what the vectors take, from their number and dimensions; texts, metadata and indexes come on top.',
})
const listOf = <Item extends z.ZodType>(item: Item, description: string) =>
  z.array(item).max(maxOverviewItems).openapi({ description })

const LargeUser = z.object({
  user_handle: z.string(),
  project_count: Whole,
  embedding_count: Whole,
  estimated_bytes: EstimatedBytes,
})

const LargeProject = z.object({
  owner: z.string(),
  project_handle: z.string(),
  embedding_count: Whole,
  dimensions: Whole.openapi({ description: '0 before the first embedding.' }),
  estimated_bytes: EstimatedBytes,
})

const Memory = z
  .object({
    is_on: z.boolean(),
    max_bytes: Whole,
    bytes: Whole,
    project_count: Whole,
    projects: listOf(
      z.object({
        project: ListedProject,
        bytes: Whole,
        is_ready: z.boolean().openapi({ description: 'False while its vectors are being read.' }),
      }),
      'Whose vectors are there; the largest first.',
    ),
    notes: z.array(z.string()).openapi({ description: 'As /readyz has them.' }),
  })
  .openapi({ description: 'Vectors in the memory of this server.' })

const SlowRequest = z.object({
  at: Time,
  method: z.string(),
  route: z.string().openapi({ example: '/v1/similars/{user}/{project}' }),
  status: Whole,
  ms: Whole,
  caller: z.string().openapi({ description: 'A handle, _admin or _nobody.' }),
  user: z.string().optional(),
  project: z.string().optional(),
  spent: z.record(z.string(), z.number()).openapi({
    description: 'Milliseconds by parts, as in Server-Timing, where they are known.',
  }),
})

const Refusal = z.object({
  status: Whole,
  method: z.string(),
  route: z.string(),
  count: Whole,
  last_at: Time,
  detail: z.string().optional().openapi({
    description: 'What the last client was told, with keys left out; 500 characters at most.',
  }),
})

export const ServiceOverview = z
  .object({
    since: Time.openapi({
      description: 'When this server has started: slow and refused requests are counted from then.',
    }),
    totals: z.object({
      user_count: Whole,
      project_count: Whole,
      embedding_count: Whole,
      database_bytes: Whole.openapi({
        description: 'Of the database, its indexes included, its write-ahead log not.',
      }),
    }),
    users: listOf(LargeUser, 'Those with the most components (vectors × dimensions) first.'),
    projects: listOf(LargeProject, 'Those with the most components first.'),
    indexes: z.object({
      count: Whole,
      items: listOf(
        ListedIndex,
        'The search indexes that large projects have, or should have and have not (yet): missing; the largest first.',
      ),
    }),
    memory: Memory,
    slow: z
      .object({
        above_ms: Whole.openapi({ description: 'SERVICE_SLOWREQUEST; with 0 none is counted.' }),
        count: Whole,
        requests: listOf(SlowRequest, 'The slowest, the slowest first; 50 at most.'),
      })
      .openapi({ description: 'Requests to this server that took longer.' }),
    refusals: z
      .object({
        count: Whole,
        kinds: listOf(Refusal, 'By status, method and route; the most frequent first.'),
      })
      .openapi({ description: 'Answers of this server with a status of 400 or more.' }),
  })
  .openapi('ServiceOverview')

const sizes = { embedding_count: 50_000, estimated_bytes: 77_200_000 }
const route = '/v1/similars/{user}/{project}'
const at = '2026-11-23T08:12:40.000Z'

export const overviewExample = {
  since: '2026-11-21T20:25:06.000Z',
  totals: { user_count: 2, project_count: 3, embedding_count: 53_779, database_bytes: 214_000_000 },
  users: [{ user_handle: 'bob', project_count: 1, ...sizes }],
  projects: [{ owner: 'bob', project_handle: 'open', dimensions: 384, ...sizes }],
  indexes: { count: 1, items: [exampleIndex] },
  memory: {
    ...{ is_on: true, max_bytes: 536_870_912, bytes: 22_000_000, project_count: 1, notes: [] },
    projects: [
      { project: { owner: 'bob', project_handle: 'open' }, bytes: 22_000_000, is_ready: true },
    ],
  },
  slow: {
    ...{ above_ms: 1_000, count: 1 },
    requests: [
      {
        ...{ at, method: 'POST', route, status: 200, ms: 1_204, caller: 'alice' },
        ...{ user: 'bob', project: 'open', spent: { database: 1_180.2 } },
      },
    ],
  },
  refusals: {
    count: 12,
    kinds: [
      {
        ...{ status: 400, method: 'POST', route, count: 12, last_at: at },
        detail: 'vector: expected 384 dimensions, got 3',
      },
    ],
  },
}
