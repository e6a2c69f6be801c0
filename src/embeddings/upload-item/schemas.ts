import { z } from '@hono/zod-openapi'
import { maxDimensions } from '../../definitions/schemas.ts'
import { badRequest } from '../../errors.ts'
import { parseItems, text, wholeNumber } from '../../http/schemas.ts'
import { linesType } from '../../json/lines-type.ts'
import { vectorFromBase64 } from '../../vectors/encoding.ts'
import { isVector, type VectorElements } from '../../vectors/float32.ts'
import { isObject, metadataText } from '../metadata.ts'
import {
  base64Rule,
  MetadataObject,
  maxTextId,
  OriginalText,
  SingleEmbedding,
  TextId,
  VectorDim,
  vectorRule,
  vectorType,
} from '../schemas.ts'
import { itemList } from '../upload-body/schemas.ts'
import type { Upload } from '../upload-checks.ts'

const UploadedVector = z
  .union([z.custom<VectorElements>(isVector).openapi(vectorType), z.string()], vectorRule)
  .transform((value, context): VectorElements => {
    const vector = typeof value === 'string' ? vectorFromBase64(value) : value
    if (vector !== undefined) return vector
    context.addIssue({ code: 'custom', message: base64Rule })
    return z.NEVER
  })
  .openapi({
    description: 'As a string: base64 of the elements as little-endian float32.',
  })

/** Converts metadata to the JSON text to store. */
const MetadataInput = MetadataObject.transform((metadata, context) => {
  const serialized = metadataText(metadata)
  if ('text' in serialized) return serialized.text
  context.addIssue({ code: 'custom', message: serialized.problem })
  return z.NEVER
})

const elsewhere = 'Required in JSON, here or once beside embeddings; lines may leave it out.'
const instanceHandle = text(100).optional()
const vectorDim = VectorDim.optional()

const WithVector = z.object({
  text_id: TextId,
  instance_handle: instanceHandle.openapi({
    description: `Handle of the project's instance. ${elsewhere}`,
  }),
  vector: UploadedVector,
  vector_dim: vectorDim.openapi({
    description: `The declared number of dimensions, which must be the instance's. ${elsewhere}`,
  }),
  text: OriginalText.nullish().openapi({
    description: 'The original text, at most 1 MiB in UTF-8.',
  }),
  metadata: MetadataInput.nullish().openapi({
    type: ['object', 'null'],
    description: 'Any JSON object with at most 64 levels and 256 KiB.',
  }),
})

/** One item of an upload. It has a component of its own in the API document; see `UploadBody`. */
export const UploadItem = z
  .object({
    ...WithVector.shape,
    vector: UploadedVector.optional().openapi({
      description:
        'Required unless the request has embed=true: items without a vector then get one made from their text. As a string: base64 of the elements as little-endian float32.',
    }),
  })
  .openapi('EmbeddingInput')

const WithText = UploadItem.refine(
  ({ vector, text }) => vector !== undefined || (text ?? '').trim() !== '',
  { path: ['vector'], message: 'is missing, and there is no text to make it of' },
)

/**
 * The schema of a line of an upload.
 * @param embed whether vectors are made for lines without one
 */
export const lineItem = (embed: boolean) => (embed ? WithText : WithVector)

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

/** Fields that can be given once, for all items that lack them. */
export interface SharedFields {
  readonly instance_handle?: string | undefined
  readonly vector_dim?: number | undefined
}

/** The same fields in the URL, for an upload of lines. */
export const fieldsInUrl = {
  instance_handle: z
    .string({ error: 'instance_handle must be given once' })
    .pipe(text(100).openapi({}))
    .optional()
    .openapi({ type: 'string', maxLength: 100, description: 'For lines without their own.' }),
  vector_dim: wholeNumber(1, maxDimensions, `vector_dim must be between 1 and ${maxDimensions}`)
    .optional()
    .openapi({
      type: 'integer',
      minimum: 1,
      maximum: maxDimensions,
      description: 'For lines without their own.',
    }),
}

/** @throws 400 if one is given, because a JSON body has these fields itself */
export function refuseFieldsInUrl(once: SharedFields): void {
  const [name] = Object.entries(once).find(([, value]) => value !== undefined) ?? []
  if (name === undefined) return
  throw badRequest(
    `${name} in the URL is for lines (${linesType}); in JSON it stands in each item, or once beside embeddings`,
  )
}

export const withSharedFields = (
  item: unknown,
  { instance_handle, vector_dim }: SharedFields,
): unknown =>
  isObject(item) && (instance_handle !== undefined || vector_dim !== undefined)
    ? { instance_handle, vector_dim, ...item }
    : item

/** Includes the fields of embeddings in answers, because people send back what they received. */
const knownFields = new Set([
  ...Object.keys(UploadItem.shape),
  ...Object.keys(SingleEmbedding.shape),
])
const maxIgnored = 20
/** Longer names are not repeated, because an API key in the wrong place would be longer. */
const maxShown = 40

/** Collects unknown field names of an item. Otherwise a misspelt field would be lost silently. */
export function noteIgnored(item: unknown, names: Set<string>): void {
  if (!isObject(item) || names.size >= maxIgnored) return
  for (const name of Object.keys(item)) {
    if (knownFields.has(name)) continue
    names.add(name.length > maxShown ? `of ${name.length} characters` : name)
    if (names.size >= maxIgnored) return
  }
}

/** In JSON, each item needs its instance and dimensions, of its own or from the shared fields. */
const JsonItem = WithVector.required({ instance_handle: true, vector_dim: true })
const JsonTextItem = z.unknown().transform((item, context) => {
  const schema = isObject(item) && item['vector'] !== undefined ? JsonItem : WithText
  const { data, error } = schema.safeParse(item)
  if (error === undefined) return toUpload(data)
  for (const { path, message } of error.issues) context.addIssue({ code: 'custom', path, message })
  return z.NEVER
})
const parseJsonItems = parseItems(JsonItem.transform(toUpload), textIdOf, ['embeddings'])
const parseJsonTextItems = parseItems(JsonTextItem, textIdOf, ['embeddings'])

/** Items are parsed only once, separately, so the document describes them by a reference. */
export const UploadBody = z
  .object({
    instance_handle: instanceHandle.openapi({
      description: 'For items without their own.',
    }),
    vector_dim: vectorDim.openapi({ description: 'For items without their own.' }),
    embed: z.boolean().optional().openapi({ description: 'Same as embed in the URL.' }),
    embeddings: itemList.openapi({
      type: 'array',
      items: { $ref: '#/components/schemas/EmbeddingInput' },
    }),
  })
  .transform(async ({ embeddings, embed = false, ...once }, context) => {
    const parse = embed ? parseJsonTextItems : parseJsonItems
    const ignored = new Set<string>()
    async function* items() {
      for await (const item of embeddings) {
        noteIgnored(item, ignored)
        yield withSharedFields(item, once)
      }
    }
    return { uploads: await parse(items(), context), ignored: [...ignored] }
  })
  .openapi('Upload')
