import { z } from '@hono/zod-openapi'
import { parseItems, storableText, text, UserHandle } from '../http/schemas.ts'
import { conflictRules } from './conflict-rule.ts'
import { isObject, type Metadata, metadataText } from './metadata.ts'
import type { Upload } from './upload.ts'
import { type GivenVector, isNumberArray, isVector, vectorFromBase64 } from './vectors.ts'

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

/** Of a page: begins behind this text_id. */
export const after = z
  .string({ error: 'after must be given once' })
  .pipe(text(maxTextId).openapi({}))
  .optional()
  .openapi({
    type: 'string',
    maxLength: maxTextId,
    description:
      'Only embeddings whose text_id is behind this one in byte order; it need not exist. Empty for the first page.',
  })

export const eitherAfterOrOffset = (
  query: { after?: string | undefined; offset?: number | undefined },
  context: z.RefinementCtx,
): void => {
  if (query.after === undefined || query.offset === undefined) return
  context.addIssue({
    code: 'custom',
    message: 'after and offset exclude each other; give one of them',
  })
}

const vectorRule = 'must be an array of numbers'
const vectorType = { type: 'array' as const, items: { type: 'number' as const } }
/** One check over the whole array: a schema for each element would cost more than parsing it. */
export const Vector = z.custom<number[]>(isNumberArray, vectorRule).openapi(vectorType)
export const base64Rule =
  'must be an array of numbers, or base64 of its elements as little-endian float32'
/** What a vector in a body may be. */
export const vectorInputType = {
  type: ['array' as const, 'string' as const],
  items: { type: 'number' as const },
}
const UploadedVector = z
  .custom<GivenVector | string>((value) => isVector(value) || typeof value === 'string', vectorRule)
  .transform((value, context): GivenVector => {
    const vector = typeof value === 'string' ? vectorFromBase64(value) : value
    if (vector !== undefined) return vector
    context.addIssue({ code: 'custom', message: base64Rule })
    return z.NEVER
  })
  .openapi({
    ...vectorInputType,
    description: 'A string is base64 of the elements as little-endian float32.',
  })

/** Not a record schema, which would drop the key `__proto__`. */
export const MetadataObject = z
  .custom<Metadata>(isObject, 'must be a JSON object')
  .openapi({ type: 'object', additionalProperties: true })

/** Becomes the JSON text that is stored. */
const MetadataInput = MetadataObject.transform((metadata, context) => {
  const serialized = metadataText(metadata)
  if ('text' in serialized) return serialized.text
  context.addIssue({ code: 'custom', message: serialized.problem })
  return z.NEVER
})

const VectorDim = z.int().min(1)

export const OriginalText = storableText.refine(
  (text) => Buffer.byteLength(text) <= maxTextBytes,
  `must have at most ${maxTextBytes} bytes in UTF-8`,
)

/** One item of an upload; a component of the document by itself, see `UploadItems`. */
export const UploadItem = z
  .object({
    text_id: TextId,
    instance_handle: text(100).optional().openapi({
      description: "Handle of the project's instance, where it is to be checked.",
    }),
    vector: UploadedVector,
    vector_dim: VectorDim.optional().openapi({
      description: "Declared length, where it is to be checked: the instance's dimensions.",
    }),
    text: OriginalText.nullish().openapi({
      description: 'The original text, at most 1 MiB in UTF-8.',
    }),
    metadata: MetadataInput.nullish().openapi({
      type: ['object', 'null'],
      description: 'Any JSON object of at most 64 levels and 256 KiB.',
    }),
  })
  .openapi('EmbeddingInput')

export const textIdOf = (item: unknown) => {
  const textId: unknown = isObject(item) ? item['text_id'] : undefined
  return typeof textId === 'string' ? `text_id '${textId.slice(0, maxTextId)}'` : undefined
}

export const toUpload = (item: z.output<typeof UploadItem>): Upload => ({
  textId: item.text_id,
  instanceHandle: item.instance_handle,
  vector: item.vector,
  vectorDim: item.vector_dim,
  text: item.text ?? null,
  metadata: item.metadata ?? null,
})

/** Each item is parsed once, so that what it holds is documented by a reference. */
const UploadItems = z
  .array(z.unknown())
  .transform(parseItems(UploadItem, textIdOf))
  .openapi({ type: 'array', items: { $ref: '#/components/schemas/EmbeddingInput' } })

export const UploadBody = z.object({ embeddings: UploadItems }).openapi('Upload')

export const UploadAnswer = z
  .object({
    message: z.string(),
    uploaded: z.array(z.string()).openapi({ description: 'The text_ids that are new.' }),
    replaced: z.array(z.string()).optional().openapi({
      description: 'With on_conflict skip or replace, as the next two: those that differed.',
    }),
    skipped: z.array(z.string()).optional().openapi({
      description: 'Those that were there already, with on_conflict=skip.',
    }),
    unchanged: z.array(z.string()).optional().openapi({
      description: 'Those that were there already and the same, with on_conflict=replace.',
    }),
  })
  .openapi('UploadAnswer')

export const onConflict = z
  .enum(conflictRules, { error: 'on_conflict must be error, skip or replace' })
  .optional()
  .openapi({
    type: 'string',
    default: 'error',
    description:
      'What becomes of a text_id that is there already. error: nothing is stored. skip: what is there stays. replace: as if it had been deleted before, unless vector, text and metadata are the same.',
  })

const ShownVector = z.union([Vector, z.base64()])

export const Embedding = z
  .object({
    text_id: z.string(),
    user_handle: UserHandle.openapi({ description: "The project's owner." }),
    project_handle: z.string(),
    instance_handle: z.string().optional(),
    vector: ShownVector.optional().openapi({
      description:
        'float32 values, each as the shortest decimal that reads back to it; or, with vector_format=base64, the elements as little-endian float32 in base64. Absent where include leaves it out.',
    }),
    vector_dim: VectorDim.openapi({ description: 'The length of the vector.' }),
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
    after: z.string().optional().openapi({ description: 'As it was asked for.' }),
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

/** What the operations on embeddings have in common of their errors. */
export const missing = {
  404: [
    'There is no such project or embedding',
    "Embedding 'matthew-5-3' not found in project 'alice/verses'",
  ],
} as const
export const stranger = { 403: "Another user's project, or a role that is too low" }
export const noProject = {
  404: ['There is no such project', "Project 'alice/verses' not found"],
} as const
