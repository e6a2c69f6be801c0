import { z } from '@hono/zod-openapi'
import { storableText, text, UserHandle } from '../http/schemas.ts'
import { isNumberArray } from '../vectors/float32.ts'
import { conflictRules } from './conflict-rule.ts'
import { isObject, type Metadata } from './metadata.ts'

export const maxTextId = 300
export const maxTextBytes = 1024 * 1024

export const TextId = text(maxTextId)
  .min(1, 'must not be empty')
  .openapi({ description: 'Unique within the project.' })

export const textIdParam = {
  text_id: TextId.openapi({
    param: {
      description: 'The text_id of the embedding, percent-encoded.',
      example: 'matthew-5-3',
    },
  }),
}

/** The text_id after which a page begins. */
export const after = z
  .string({ error: 'after must be given once' })
  .pipe(text(maxTextId).openapi({}))
  .optional()
  .openapi({
    type: 'string',
    maxLength: maxTextId,
    description:
      'Only embeddings whose text_id comes after this one in byte order. The text_id need not exist. Empty for the first page.',
  })

export const eitherAfterOrOffset = (
  query: { after?: string | undefined; offset?: number | undefined },
  context: z.RefinementCtx,
): void => {
  if (query.after === undefined || (query.offset ?? 0) === 0) return
  context.addIssue({
    code: 'custom',
    message: 'after and offset exclude each other; give one of them',
  })
}

export const vectorRule = 'must be an array of numbers'
/** A vector in the API document, because no schema describes its elements. */
export const vectorType = { type: 'array' as const, items: { type: 'number' as const } }
/** One check over the whole array: a schema for each element would cost more than parsing it. */
const Vector = z.custom<number[]>(isNumberArray, vectorRule).openapi(vectorType)
export const base64Rule =
  'must be an array of numbers, or base64 of its elements as little-endian float32'
/** Not a record schema, because that would drop the key `__proto__`. */
export const MetadataObject = z
  .custom<Metadata>(isObject, 'must be a JSON object')
  .openapi({ type: 'object', additionalProperties: true })

export const VectorDim = z.int().min(1)

export const OriginalText = storableText.refine(
  (text) => Buffer.byteLength(text) <= maxTextBytes,
  `must have at most ${maxTextBytes} bytes in UTF-8`,
)

export const UploadAnswer = z
  .object({
    message: z.string(),
    uploaded: z.array(z.string()).openapi({ description: 'The new text_ids.' }),
    replaced: z.array(z.string()).optional().openapi({
      description:
        'Present with on_conflict skip or replace, like skipped and unchanged: the existing text_ids that were replaced because they differed.',
    }),
    skipped: z.array(z.string()).optional().openapi({
      description: 'With on_conflict=skip: text_ids that existed already.',
    }),
    unchanged: z.array(z.string()).optional().openapi({
      description: 'With on_conflict=replace: text_ids that existed already and are unchanged.',
    }),
    ignored: z.array(z.string()).optional().openapi({
      description: 'Names of unknown fields of items, which were not stored; at most 20.',
    }),
  })
  .openapi('UploadAnswer')

export const onConflict = z
  .enum(conflictRules, { error: 'on_conflict must be error, skip or replace' })
  .optional()
  .openapi({
    type: 'string',
    description:
      'What happens if a text_id exists already. error (default): nothing is stored. skip: the existing embedding stays. replace: the existing embedding is deleted and uploaded again, in one transaction, unless vector, text and metadata are the same. A replaced embedding loses text and metadata that are not sent, and gets a new created_at.',
  })

const ProjectedVector = z.union([Vector, z.base64()])

const Embedding = z
  .object({
    text_id: z.string(),
    user_handle: UserHandle.openapi({ description: "The project's owner." }),
    project_handle: z.string(),
    instance_handle: z.string().optional(),
    vector: ProjectedVector.optional().openapi({
      description:
        'float32 values, each as the shortest decimal that reads back to it. With vector_format=base64: the elements as little-endian float32 in base64. Absent if include omits it.',
    }),
    vector_dim: VectorDim.openapi({ description: 'The number of dimensions.' }),
    text: z.string().optional(),
    metadata: MetadataObject.optional(),
    created_at: z.iso.datetime(),
  })
  .openapi('Embedding')

export const SingleEmbedding = Embedding.extend({ project_id: z.int() }).openapi('SingleEmbedding')

export const EmbeddingList = z
  .object({
    embeddings: z.array(Embedding),
    total_count: z.int(),
    limit: z.int(),
    offset: z.int(),
    after: z.string().optional().openapi({ description: 'The requested value.' }),
  })
  .openapi('EmbeddingList')

export const exampleUpload = {
  embeddings: [
    {
      text_id: 'matthew-5-3',
      instance_handle: 'my-model',
      vector: [0.25, -0.5, 0.75],
      vector_dim: 3,
      text: 'Blessed are the poor in spirit',
      metadata: { ref: { book: 'Matthew', chapter: 5, verse: 3 } },
    },
  ],
}

export const exampleUploadLines = '{"text_id":"matthew-5-3","vector":[0.25,-0.5,0.75]}\n'
const counts = '"lines":1,"stored":1,"replaced":0,"skipped":0,"unchanged":0'
export const exampleProgress = `{${counts}}\n{${counts},"done":true}\n`

const [uploaded] = exampleUpload.embeddings
export const exampleEmbedding = {
  ...uploaded,
  text_id: 'matthew-5-3',
  vector: [0.25, -0.5, 0.75],
  vector_dim: 3,
  user_handle: 'alice',
  project_handle: 'verses',
  created_at: '2026-11-21T20:25:06.000Z',
}

/** Errors that the operations on embeddings share. */
export const notFoundMessage = {
  404: [
    'There is no such project or embedding',
    "Embedding 'matthew-5-3' not found in project 'alice/verses'",
  ],
} as const
export const forbiddenMessage = { 403: "Another user's project, or a role that is too low" }
export const noProject = {
  404: ['There is no such project', "Project 'alice/verses' not found"],
} as const
