import { z } from '@hono/zod-openapi'
import { filterParameter } from '../filters/schemas.ts'
import { UserHandle } from '../http/schemas.ts'

const names = { user_handle: UserHandle, project_handle: z.string() }

export const CountAnswer = z.object({ count: z.int() }).openapi('CountAnswer')

const Percentiles = z.record(z.string(), z.number())

const Scale = z
  .object({
    random_pairs: Percentiles.describe(
      'Cosine similarities of 10,000 random pairs of texts: 1 % are below p1, and so on with p5, p25, p50, p75, p95, p99 and p99_9.',
    ),
    nearest: Percentiles.describe('The same of 200 texts, each to the text nearest to it.'),
    texts: z.int().describe('How many texts there were when it was measured.'),
    revision: z.int().describe('The revision of the project then.'),
    measured_at: z.iso.datetime(),
  })
  .openapi('SimilarityScale')

export const Statistics = z
  .object({
    ...names,
    total_count: z.int(),
    dimensions: z.int().optional(),
    bytes: z
      .object({ vectors: z.int(), texts: z.int(), metadata: z.int(), total: z.int() })
      .describe('The size in the database, without indexes and overhead; metadata are compressed.'),
    index: z
      .object({
        kind: z
          .enum(['halfvec_l2', 'bit'])
          .describe('HNSW on half-precision elements (halfvec_l2) or their signs (bit).'),
      })
      .optional()
      .describe('The index that searches use; absent if they need none.'),
    first_upload: z.iso.datetime().optional(),
    last_upload: z.iso.datetime().optional(),
    scale: Scale.optional().describe(
      'How similar the texts are to each other, so what a similarity means here. Measured in memory when it is first asked for, and again when the number of texts has changed by half.',
    ),
    no_scale: z.string().optional().describe('Why there is no scale.'),
    sampled: z
      .boolean()
      .describe(
        'Whether first_upload and the sizes of texts and metadata come from a sample of 100,000 embeddings.',
      ),
  })
  .openapi('ProjectStatistics')

const maxFacets = 8
const field = z
  .union([z.string(), z.array(z.string())])
  .transform((names) => [names].flat())
  .refine(({ length }) => length <= maxFacets, `field must be given at most ${maxFacets} times`)
  .optional()
  .openapi({
    type: 'array',
    items: { type: 'string' },
    maxItems: maxFacets,
    description:
      'A metadata field in dot notation, for example ref.book (a backslash escapes a dot); several as field=…&field=….',
  })

/** Fields whose values are counted exactly. */
export const FacetsInUrl = z
  .object({ field, filter: filterParameter })
  .superRefine((values, context) => {
    if (values.filter === undefined || values.field !== undefined) return
    context.addIssue({ code: 'custom', message: 'filter requires field to be specified' })
  })

const Types = z.record(z.string(), z.int())
const Value = z.union([z.string(), z.number(), z.boolean()])

const FieldSummary = z.object({
  path: z.string().describe("The field's path as filters write it."),
  documents: z.int().describe('How many of the examined embeddings have the field.'),
  missing: z.int().describe('How many do not.'),
  share: z.number().min(0).max(1).describe('Their share.'),
  types: Types.describe('In how many of them the field has each type.'),
  values: z
    .array(z.object({ value: Value, count: z.int() }))
    .describe(
      'At most 20, with the parameter field 1,000, strings of up to 200 characters, numbers and booleans, also in arrays, with the number of embeddings that have them; the most frequent first.',
    ),
  more_values: z.boolean().describe('Whether there are values that are not listed.'),
})

export const Fields = z
  .object({
    ...names,
    total_count: z.int(),
    documents: z.int().describe('The number of embeddings examined.'),
    sampled: z.boolean().describe('Whether only a sample was examined.'),
    fields: z
      .array(FieldSummary)
      .describe(
        'The most common fields first, at most 200; those of the parameter field in its order.',
      ),
    more_fields: z.boolean().describe('Whether there are fields that are not listed.'),
  })
  .openapi('ProjectFields')

const exampleNames = { user_handle: 'alice', project_handle: 'verses', total_count: 3779 }

export const exampleStatistics = {
  ...exampleNames,
  dimensions: 384,
  bytes: { vectors: 5834776, texts: 471204, metadata: 302320, total: 6608300 },
  first_upload: '2026-11-21T20:25:06.000Z',
  last_upload: '2026-11-21T20:25:09.000Z',
  scale: {
    random_pairs: { p1: 0.0376, p50: 0.3016, p99: 0.5673, p99_9: 0.6517 },
    nearest: { p1: 0.5088, p50: 0.7132, p99: 0.9634, p99_9: 0.9823 },
    texts: 3779,
    revision: 12,
    measured_at: '2026-11-22T09:00:00.000Z',
  },
  sampled: false,
}

export const exampleFields = {
  ...exampleNames,
  documents: 3779,
  sampled: false,
  fields: [
    {
      path: 'ref.book',
      documents: 3779,
      missing: 0,
      share: 1,
      types: { string: 3779 },
      values: [
        { value: 'Luke', count: 1151 },
        { value: 'Matthew', count: 1071 },
      ],
      more_values: true,
    },
  ],
  more_fields: true,
}
