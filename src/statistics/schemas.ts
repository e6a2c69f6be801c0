import { z } from '@hono/zod-openapi'
import { UserHandle } from '../http/schemas.ts'

const names = { user_handle: UserHandle, project_handle: z.string() }

export const CountAnswer = z.object({ count: z.int() }).openapi('CountAnswer')

export const Statistics = z
  .object({
    ...names,
    total_count: z.int().describe('The exact number of embeddings.'),
    dimensions: z
      .int()
      .optional()
      .describe('Dimensions of the vectors or, before the first one, of the instance.'),
    bytes: z
      .object({ vectors: z.int(), texts: z.int(), metadata: z.int(), total: z.int() })
      .describe(
        'The size in the database, without indexes and per-row overhead: 4 bytes per vector element and 8 per vector, the UTF-8 of texts, and metadata in compressed form.',
      ),
    index: z
      .object({
        kind: z
          .enum(['halfvec_l2', 'halfvec', 'bit'])
          .describe(
            'An HNSW index on half-precision elements (halfvec_l2, halfvec) or on their signs (bit).',
          ),
        recall: z
          .number()
          .optional()
          .describe(
            'Recall@10, measured on vectors of the project. Absent before the measurement.',
          ),
      })
      .optional()
      .describe(
        'The database index that searches use. Absent if they need none. The embedded database searches in memory.',
      ),
    first_upload: z.iso
      .datetime()
      .optional()
      .describe(
        'The time of the oldest stored embedding; if sampled, of the oldest in the sample.',
      ),
    last_upload: z.iso.datetime().optional().describe('The time of the last upload.'),
    sampled: z
      .boolean()
      .describe(
        'Whether first_upload and the sizes of texts and metadata are estimated. In projects of more than 100,000 embeddings, they come from a sample of that size.',
      ),
  })
  .openapi('ProjectStatistics')

const Types = z.record(z.string(), z.int())
const Value = z.union([z.string(), z.number(), z.boolean()])

const FieldSummary = z.object({
  path: z.string().describe("The field's path as filters write it."),
  documents: z.int().describe('The number of examined embeddings with this field.'),
  share: z.number().min(0).max(1).describe('The share of examined embeddings with this field.'),
  types: Types.describe(
    'For each type (string, number, boolean, null, object or array): the number of embeddings in which the field has it.',
  ),
  element_types: Types.optional().describe(
    'For arrays: the number of embeddings whose array has elements of each type.',
  ),
  values: z
    .array(z.object({ value: Value, count: z.int() }))
    .describe(
      'The most frequent strings, numbers and booleans, including elements of arrays, with the number of documents that have them; at most 20. Strings of more than 200 characters are omitted.',
    ),
  more_values: z
    .boolean()
    .describe(
      'Whether there are values that are not listed. If a field has more than 1,000 different values, later ones are not counted.',
    ),
})

export const Fields = z
  .object({
    ...names,
    total_count: z.int().describe('The number of embeddings.'),
    documents: z.int().describe('The number of embeddings examined.'),
    sampled: z.boolean().describe('Whether only a sample was examined.'),
    fields: z.array(FieldSummary).describe('The most common fields first; at most 200.'),
    more_fields: z
      .boolean()
      .describe('Whether there are more fields, or fields that no filter can name.'),
  })
  .openapi('ProjectFields')

const exampleNames = { user_handle: 'alice', project_handle: 'verses', total_count: 3779 }

export const exampleStatistics = {
  ...exampleNames,
  dimensions: 384,
  bytes: { vectors: 5834776, texts: 471204, metadata: 302320, total: 6608300 },
  first_upload: '2026-11-21T20:25:06.000Z',
  last_upload: '2026-11-21T20:25:09.000Z',
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
