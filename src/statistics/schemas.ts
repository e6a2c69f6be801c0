import { z } from '@hono/zod-openapi'
import { UserHandle } from '../http/schemas.ts'

const names = { user_handle: UserHandle, project_handle: z.string() }

export const CountAnswer = z.object({ count: z.int() }).openapi('CountAnswer')

export const Statistics = z
  .object({
    ...names,
    total_count: z.int().openapi({ description: 'How many embeddings there are, exactly.' }),
    dimensions: z.int().optional().openapi({
      description: 'Of the vectors; before the first one, those of the instance.',
    }),
    bytes: z
      .object({ vectors: z.int(), texts: z.int(), metadata: z.int(), total: z.int() })
      .openapi({
        description:
          'As the database stores them, without its indexes and what it keeps of each row besides: of vectors 4 bytes an element and 8, of texts their UTF-8, of metadata their compressed form.',
      }),
    index: z
      .object({
        kind: z.enum(['halfvec_l2', 'halfvec', 'bit']).openapi({
          description: 'An HNSW index over half-precision elements, or over their signs.',
        }),
        recall: z.number().optional().openapi({
          description: 'Recall@10 as it was measured on vectors of the project. Absent before.',
        }),
      })
      .optional()
      .openapi({
        description:
          'The index of the database that searches use. Absent where they need none; the embedded database searches in memory.',
      }),
    first_upload: z.iso.datetime().optional().openapi({
      description: 'Of the embeddings that are there; when sampled, of those looked at.',
    }),
    last_upload: z.iso.datetime().optional().openapi({
      description: 'When embeddings were last added.',
    }),
    sampled: z.boolean().openapi({
      description:
        'Whether the bytes of texts and metadata and first_upload are estimated from a sample: in projects of more than 100,000 embeddings, from that many of them.',
    }),
  })
  .openapi('ProjectStatistics')

const Types = z.record(z.string(), z.int())
const Value = z.union([z.string(), z.number(), z.boolean()])

export const Fields = z
  .object({
    ...names,
    total_count: z.int().openapi({ description: 'How many embeddings there are.' }),
    documents: z.int().openapi({ description: 'How many of them were looked at.' }),
    sampled: z.boolean().openapi({ description: 'Whether these are not all.' }),
    fields: z
      .array(
        z.object({
          path: z.string().openapi({ description: 'As filters name the field.' }),
          documents: z.int().openapi({ description: 'How many of those looked at have it.' }),
          share: z.number().min(0).max(1).openapi({ description: 'The same as a share of them.' }),
          types: Types.openapi({
            description: 'How many have it as string, number, boolean, null, object or array.',
          }),
          element_types: Types.optional().openapi({
            description: 'Of arrays, how many have elements of a type.',
          }),
          values: z.array(z.object({ value: Value, count: z.int() })).openapi({
            description:
              'The most frequent strings, numbers and booleans, also as elements of arrays, with how many documents have them: at most 20. Strings of more than 200 characters are left out.',
          }),
          more_values: z.boolean().openapi({
            description:
              'Whether there are values that are not listed. Of a field with more than 1,000 different ones, those that come later are not counted.',
          }),
        }),
      )
      .openapi({ description: 'Those that most documents have first: at most 200.' }),
    more_fields: z.boolean().openapi({
      description: 'Whether there are others, or such as no filter can name.',
    }),
  })
  .openapi('ProjectFields')

export const exampleStatistics = {
  user_handle: 'alice',
  project_handle: 'verses',
  total_count: 3779,
  dimensions: 384,
  bytes: { vectors: 5834776, texts: 471204, metadata: 302320, total: 6608300 },
  first_upload: '2026-11-21T20:25:06.000Z',
  last_upload: '2026-11-21T20:25:09.000Z',
  sampled: false,
}

export const exampleFields = {
  user_handle: 'alice',
  project_handle: 'verses',
  total_count: 3779,
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
