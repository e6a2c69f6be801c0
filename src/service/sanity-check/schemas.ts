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
          "vector-dimensions: vector_dim is not the length of the vector. instance-dimensions: the vector's length differs from the instance's dimensions. recorded-size: the recorded number or dimensions of a project's embeddings are wrong. metadata-scheme: the project's scheme is no longer valid, so nothing can be uploaded. metadata: the metadata violates the scheme, which may have been set later. metadata-unchecked: checking against the scheme takes too long. index-missing, index-broken: searches of this large project are exact, and therefore slow.",
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
    at_least: Share.openapi({ description: 'The lower bound, with 95% confidence.' }),
    ef_search: Count,
    candidates: Count.openapi({
      description: 'The number of candidates compared by their float32 vectors.',
    }),
    sample: Count.openapi({ description: 'The number of stored vectors used as queries.' }),
    vectors: Count.openapi({ description: 'The number of vectors in the index at that time.' }),
  })
  .openapi({
    description:
      'The share of the ten nearest that searches with default options find, measured on vectors of the project with the effort that such searches use. Absent before the measurement, and on the embedded database.',
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
      'The size of the vectors, estimated from their number and dimensions. Texts, metadata and indexes are not included.',
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
      .openapi({
        description: 'What was read. metadata counts only projects with a metadataScheme.',
      }),
    issue_count: Count.openapi({ description: 'The number of all issues, listed or not.' }),
    issue_counts: z
      .record(z.string(), Count)
      .openapi({ description: 'The number of issues by type. Types without issues are absent.' }),
    issues: z
      .array(Issue)
      .max(maxListed)
      .openapi({ description: 'The first issues, failures before warnings.' }),
    indexes: z.array(ListedIndex).openapi({
      description:
        'The search indexes of large projects. State missing: the project should have the index but does not have it (yet).',
    }),
    largest: z
      .object({
        users: z.array(LargeUser).max(maxListed),
        projects: z.array(LargeProject).max(maxListed),
      })
      .openapi({ description: 'The largest by recorded vectors × dimensions; at most 100 each.' }),
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
