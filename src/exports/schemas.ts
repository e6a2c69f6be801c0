import { z } from '@hono/zod-openapi'
import { includeParameter, vectorFormat } from '../embeddings/include/schemas.ts'
import { filterParameter } from '../filters/schemas.ts'
import { formats } from './exports.ts'

export const exportQuery = z.object({
  format: z
    .enum(formats, {
      error: `format must be ${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}`,
    })
    .optional()
    .openapi({
      type: 'string',
      default: 'ndjson',
      description:
        'ndjson: a line of JSON for each embedding, which the upload takes as it is. parquet: a table with text_id, text, metadata (JSON), created_at and vector (a list of float32). semblance: one file of the whole project, to be imported elsewhere.',
    }),
  filter: filterParameter,
  include: includeParameter('Without it: all of them.'),
  vector_format: vectorFormat,
})
