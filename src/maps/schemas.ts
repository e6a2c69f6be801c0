import { z } from '@hono/zod-openapi'
import { parsePath } from '../filters/metadata-path.ts'
import { wholeNumber } from '../http/schemas.ts'

const maxFieldLength = 1_000

export const mapQuery = z.object({
  field: z
    .string({ error: 'field must be given once' })
    .max(maxFieldLength, `field must have at most ${maxFieldLength} characters`)
    .transform((path) => ({ path, keys: parsePath(path, 'field') }))
    .optional()
    .openapi({
      type: 'string',
      maxLength: maxFieldLength,
      description: 'A metadata path in dot notation to colour the points by, such as ref.book.',
    }),
  min_revision: wholeNumber('min_revision', 0, 2 ** 31 - 1).describe(
    'Accepts only a map of at least this revision of the project; the answer is 202 until there is one. A revision that does not exist yet counts as the current one.',
  ),
})

const named = { user_handle: z.string(), project_handle: z.string() }
const currentRevision = z.int().openapi({
  description:
    "The project's revision. It increases whenever embeddings are added, replaced or deleted, and restarts when all are deleted at once.",
})

export const ProjectMap = z
  .object({
    ...named,
    status: z.literal('ready'),
    current_revision: currentRevision,
    revision: z.int().optional().openapi({
      description:
        "The project's revision when this map was computed. It is less than current_revision if the map is out of date. Absent if there are no embeddings.",
    }),
    computed_at: z.iso.datetime().optional(),
    text_ids: z.array(z.string()).openapi({ description: 'In byte order.' }),
    x: z.array(z.number()).openapi({
      description:
        'One coordinate between -1 and 1 for each of text_ids, rounded to 5 decimal places.',
    }),
    y: z.array(z.number()).openapi({ description: 'On the same scale as x.' }),
    field: z
      .object({
        path: z.string().openapi({ description: 'The requested path.' }),
        values: z.array(z.union([z.string(), z.number(), z.boolean()])).openapi({
          description: 'The distinct values, in the order of their first occurrence.',
        }),
        indexes: z.array(z.int()).openapi({
          description:
            'For each of text_ids, the index of its value in values; -1 if it has none, or if its value is a list, an object or longer than 800 bytes.',
        }),
        more_values: z.boolean().openapi({
          description:
            'Whether there are more values than fit into 8 MiB. The others count as no value.',
        }),
      })
      .optional()
      .openapi({ description: 'Present if a field was requested.' }),
    count: z.int().openapi({ description: 'The number of text_ids.' }),
    missing_count: z.int().openapi({
      description: 'The number of embeddings that were added since, and are not on the map.',
    }),
    gone_count: z.int().openapi({
      description:
        'The number of embeddings that were on the map and have been deleted since. They are left out.',
    }),
  })
  .openapi('ProjectMap')

export const exampleMap: z.input<typeof ProjectMap> = {
  user_handle: 'alice',
  project_handle: 'verses',
  status: 'ready',
  current_revision: 4,
  revision: 4,
  computed_at: '2026-11-21T20:25:06.123Z',
  text_ids: ['mark-1-11', 'matthew-3-17', 'matthew-5-3'],
  x: [-0.91254, -0.87011, 1],
  y: [0.1022, 0.0871, -0.52214],
  field: { path: 'ref.book', values: ['Mark', 'Matthew'], indexes: [0, 1, 1], more_values: false },
  count: 3,
  missing_count: 0,
  gone_count: 0,
}

export const MapProgress = z
  .object({
    ...named,
    status: z.enum(['waiting', 'computing']).openapi({
      description: 'waiting: maps of other projects are computed first.',
    }),
    progress: z
      .number()
      .min(0)
      .max(1)
      .openapi({ description: 'The progress of the computation, 0 to 1.' }),
    current_revision: currentRevision,
  })
  .openapi('ProjectMapProgress')

export const exampleMapProgress: z.input<typeof MapProgress> = {
  user_handle: 'alice',
  project_handle: 'verses',
  status: 'computing',
  progress: 0.42,
  current_revision: 4,
}
