import { z } from '@hono/zod-openapi'

/** The maximum length of the list of issues. */
export const maxListed = 100

const Count = z.int().min(0)

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
      .describe(
        `What is wrong:

- vector-dimensions: vector_dim is not the length of the vector
- instance-dimensions: the instance has other dimensions
- recorded-size: the recorded size of a project is wrong
- metadata-scheme: the project's scheme is not valid any more
- metadata: the metadata violate the scheme, which may have been set later
- metadata-unchecked: the check takes too long
- index-missing, index-broken: searches of this large project are exact, and slow`,
      ),
    project: z.object({ owner: z.string(), project_handle: z.string() }),
    text_id: z.string().optional(),
    detail: z.string(),
  })
  .openapi('SanityIssue')

export const SanityReport = z
  .object({
    status: z
      .enum(['PASSED', 'WARNING', 'FAILED'])
      .describe(
        'FAILED if stored data contradict each other: one of the first four types of issues. WARNING if there are others.',
      ),
    checked: z
      .object({ projects: Count, embeddings: Count, schemes: Count, metadata: Count })
      .describe('What was read; metadata only in projects with a metadataScheme.'),
    issue_count: Count.describe('The number of all issues, listed or not.'),
    issue_counts: z.record(z.string(), Count).describe('Their number by type.'),
    issues: z.array(Issue).max(maxListed).describe('The first ones, failures before warnings.'),
  })
  .openapi('SanityReport')

export type Report = z.output<typeof SanityReport>

export const reportExample: Report = {
  status: 'WARNING',
  checked: { projects: 2, embeddings: 50_003, schemes: 1, metadata: 3 },
  issue_count: 1,
  issue_counts: { metadata: 1 },
  issues: [
    {
      type: 'metadata',
      project: { owner: 'alice', project_handle: 'verses' },
      text_id: 'matthew-5-3',
      detail: 'author is required',
    },
  ],
}
