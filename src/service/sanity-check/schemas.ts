import { z } from '@hono/zod-openapi'

/** The maximum length of each list. */
export const maxListed = 100

const Count = z.int().min(0)

const ListedProject = z.object({ owner: z.string(), project_handle: z.string() })

const Issue = z
  .object({
    type: z
      .enum([
        'vector-dimensions',
        'instance-dimensions',
        'recorded-size',
        'metadata-scheme',
        'metadata',
        'metadata-unchecked',
        'index-missing',
        'index-broken',
      ])
      .openapi({
        description:
          'vector-dimensions: vector_dim is not the length of the vector. instance-dimensions: the vector has not as many elements as the instance has dimensions. recorded-size: the number or dimensions recorded for a project are not those of its embeddings. metadata-scheme: the scheme of the project is no longer valid, so that nothing can be uploaded. metadata: does not satisfy the scheme, which may have been set later. metadata-unchecked: the scheme costs too much time. index-missing, index-broken: searches of this large project are exact, and slow.',
      }),
    project: ListedProject,
    text_id: z.string().optional(),
    detail: z.string(),
  })
  .openapi('SanityIssue')

const Share = z.number().min(0).max(1)

const MeasuredRecall = z
  .object({
    recall: Share,
    at_least: Share.openapi({ description: 'With a confidence of 95%.' }),
    ef_search: Count,
    candidates: Count.openapi({ description: 'How many are compared by their float32 vectors.' }),
    sample: Count.openapi({ description: 'How many stored vectors were searched for.' }),
    vectors: Count.openapi({ description: 'How many the index had then.' }),
  })
  .openapi({
    description:
      'The share of the ten nearest that usual searches find, measured on vectors of the project at the effort that such searches take; absent before that, and on the embedded database.',
  })

const ListedIndex = z
  .object({
    project: ListedProject,
    kind: z.enum(['halfvec_l2', 'halfvec', 'bit']),
    dimensions: Count,
    state: z.enum(['valid', 'building', 'broken', 'missing']),
    bytes: Count.openapi({ description: 'Its size in the database.' }),
    recall: MeasuredRecall.optional(),
  })
  .openapi('SanityIndex')

const Sizes = {
  embedding_count: Count,
  estimated_bytes: Count.openapi({
    description:
      'Of the vectors, by their number and dimensions; texts, metadata and indexes come on top.',
  }),
}

const LargeUser = z.object({ user_handle: z.string(), project_count: Count, ...Sizes })
const LargeProject = ListedProject.extend({
  dimensions: Count.openapi({ description: '0 before the first embedding.' }),
  ...Sizes,
})

export const SanityReport = z
  .object({
    status: z.enum(['PASSED', 'WARNING', 'FAILED']).openapi({
      description:
        'FAILED: stored data contradict each other (vector-dimensions, instance-dimensions, recorded-size, metadata-scheme). WARNING: there are other issues. PASSED: there are none.',
    }),
    checked: z
      .object({ projects: Count, embeddings: Count, schemes: Count, metadata: Count })
      .openapi({ description: 'How much was read; metadata: of projects with a metadataScheme.' }),
    issue_count: Count.openapi({ description: 'All issues, listed or not.' }),
    issue_counts: z
      .record(z.string(), Count)
      .openapi({ description: 'All issues by type; a type without any is absent.' }),
    issues: z
      .array(Issue)
      .max(maxListed)
      .openapi({ description: 'The first of them, failures before warnings.' }),
    indexes: z.array(ListedIndex).openapi({
      description:
        'The search indexes that large projects have, or should have and have not (yet): missing.',
    }),
    largest: z
      .object({
        users: z.array(LargeUser).max(maxListed),
        projects: z.array(LargeProject).max(maxListed),
      })
      .openapi({ description: 'By vectors × dimensions, as recorded; 100 of each at most.' }),
  })
  .openapi('SanityReport')

export type Report = z.output<typeof SanityReport>

const project = { owner: 'alice', project_handle: 'verses' }

const exampleIndex = {
  project: { owner: 'bob', project_handle: 'open' },
  kind: 'halfvec_l2' as const,
  dimensions: 384,
  state: 'valid' as const,
  bytes: 51_200_000,
  recall: {
    recall: 0.9967,
    at_least: 0.9938,
    ef_search: 120,
    candidates: 20,
    sample: 300,
    vectors: 50_000,
  },
}

const exampleSizes = { embedding_count: 50_000, estimated_bytes: 77_200_000 }

export const reportExample = {
  status: 'WARNING' as const,
  checked: { projects: 2, embeddings: 50_003, schemes: 1, metadata: 3 },
  issue_count: 1,
  issue_counts: { metadata: 1 },
  issues: [
    { type: 'metadata' as const, project, text_id: 'matthew-5-3', detail: 'author is required' },
  ],
  indexes: [exampleIndex],
  largest: {
    users: [{ user_handle: 'bob', project_count: 1, ...exampleSizes }],
    projects: [{ owner: 'bob', project_handle: 'open', dimensions: 384, ...exampleSizes }],
  },
}
