import { z } from '@hono/zod-openapi'
import { maxDimensions } from '../../definitions/schemas.ts'
import { badRequest } from '../../errors.ts'
import { flag, parseItems, text, wholeNumber } from '../../http/schemas.ts'
import { linesType } from '../../json/lines-type.ts'
import { isObject } from '../../json/parse.ts'
import { metadataText } from '../metadata.ts'
import {
  itemList,
  MetadataObject,
  OriginalText,
  SingleEmbedding,
  TextId,
  textIdOf,
  VectorDim,
  VectorInput,
} from '../schemas.ts'
import { conflictRules } from './staging.ts'

/** Converts metadata to the JSON text to store. */
const MetadataInput = MetadataObject.transform((metadata, context) => {
  const serialized = metadataText(metadata)
  if ('text' in serialized) return serialized.text
  context.addIssue({ code: 'custom', message: serialized.problem })
  return z.NEVER
})

const elsewhere = 'In JSON required, here or beside embeddings.'
const instanceHandle = text(100).optional()
const vectorDim = VectorDim.optional()

/**
 * One item of an upload. It has a component of its own in the API document; see `UploadBody`.
 * `uploadItem` says when the vector may be missing.
 */
export const UploadItem = z
  .object({
    text_id: TextId,
    instance_handle: instanceHandle.describe(`Handle of the project's instance. ${elsewhere}`),
    vector: VectorInput.optional().describe(
      'Required unless the request has embed=true, which makes it of the text. As a string: base64 of the elements as little-endian float32.',
    ),
    vector_dim: vectorDim.describe(`The dimensions, which must be the instance's. ${elsewhere}`),
    text: OriginalText.nullish().describe('The original text, at most 1 MiB in UTF-8.'),
    metadata: MetadataInput.nullish().openapi({
      type: ['object', 'null'],
      description: 'Any JSON object with at most 64 levels and 256 KiB.',
    }),
  })
  .openapi('EmbeddingInput')

/** An item that may lack its vector only if it has a text, and if vectors are made of texts. */
const itemWith = (embeds: boolean) =>
  UploadItem.superRefine(({ vector, text }, context) => {
    if (vector !== undefined || (embeds && (text ?? '').trim() !== '')) return
    const hint = embeds
      ? 'and there is no text to make it of'
      : 'which embed=true makes of the text'
    context.addIssue({ code: 'custom', path: ['vector'], message: `is required, ${hint}` })
  })

const itemSchemas = { withVector: itemWith(false), orText: itemWith(true) }

/** @param embeds whether vectors are made of the texts of items without one */
export const uploadItem = (embeds: boolean) =>
  embeds ? itemSchemas.orText : itemSchemas.withVector

export type Upload = Readonly<ReturnType<typeof toUpload>>

export const toUpload = (item: z.output<typeof UploadItem>) => ({
  textId: item.text_id,
  instanceHandle: item.instance_handle,
  /** Undefined if it is to be made from the text. */
  vector: item.vector,
  vectorDim: item.vector_dim,
  text: item.text ?? null,
  /** JSON text. */
  metadata: item.metadata ?? null,
})

/** Fields that can be given once, for all items that lack them. */
export type SharedFields = Pick<z.output<typeof uploadQuery>, 'instance_handle' | 'vector_dim'>

export const withSharedFields = (
  item: unknown,
  { instance_handle, vector_dim }: SharedFields,
): unknown =>
  isObject(item) && (instance_handle !== undefined || vector_dim !== undefined)
    ? { instance_handle, vector_dim, ...item }
    : item

export const uploadQuery = z.object({
  on_conflict: z
    .enum(conflictRules, { error: 'on_conflict must be error, skip or replace' })
    .optional()
    .openapi({
      type: 'string',
      description: `What happens if a text_id exists already:

- error, the default: nothing is stored
- skip: the existing embedding stays
- replace: it is deleted and uploaded again, in one transaction. It loses text and metadata that are not sent, and gets a new created_at, unless all are the same.`,
    }),
  instance_handle: z
    .string({ error: 'instance_handle must be given once' })
    .pipe(text(100).openapi({}))
    .optional()
    .openapi({ type: 'string', maxLength: 100, description: 'For lines without their own.' }),
  vector_dim: wholeNumber('vector_dim', 1, maxDimensions).describe('For lines without their own.'),
  // The last one, because generated clients keep the order of the others.
  embed: flag(
    'embed',
    'Embed the texts of items without a vector, for the owner, and for editors if text_queries allows it. It counts towards text_query_budget, unless the owner uses the first key.',
  ),
})

/** @throws 400 if one is in the URL, because a JSON body has these fields itself */
export function refuseFieldsInUrl({ instance_handle, vector_dim }: SharedFields): void {
  if (instance_handle === undefined && vector_dim === undefined) return
  const name = instance_handle === undefined ? 'vector_dim' : 'instance_handle'
  throw badRequest(
    `${name} in the URL is for lines (${linesType}); in JSON it stands in each item, or once beside embeddings`,
  )
}

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

/** In JSON, an item with a vector needs instance and dimensions, its own or the shared ones. */
const jsonItem = (embeds: boolean) =>
  uploadItem(embeds)
    .superRefine((item, context) => {
      if (item.vector === undefined) return
      for (const field of ['instance_handle', 'vector_dim'] as const) {
        if (item[field] !== undefined) continue
        context.addIssue({ code: 'custom', path: [field], message: 'is required' })
      }
    })
    .transform(toUpload)
const parseItemsOf = (embeds: boolean) => parseItems(jsonItem(embeds), textIdOf, ['embeddings'])
const parseJsonItems = { withVector: parseItemsOf(false), orText: parseItemsOf(true) }

/** Items are parsed only once, separately, so the document describes them by a reference. */
export const UploadBody = z
  .object({
    instance_handle: instanceHandle.describe('For items without their own.'),
    vector_dim: vectorDim.describe('For items without their own.'),
    embed: z.boolean().optional().describe('Same as embed in the URL.'),
    embeddings: itemList.openapi({
      type: 'array',
      items: { $ref: '#/components/schemas/EmbeddingInput' },
    }),
  })
  .transform(async ({ embeddings, embed = false, ...once }, context) => {
    const parse = parseJsonItems[embed ? 'orText' : 'withVector']
    const ignored = new Set<string>()
    async function* items() {
      for await (const item of embeddings) {
        noteIgnored(item, ignored)
        yield withSharedFields(item, once)
      }
    }
    return { uploads: await parse(items(), context), embed, ignored: [...ignored] }
  })
  .openapi('Upload')

const TextIds = z.array(z.string())

export const UploadAnswer = z
  .object({
    message: z.string(),
    uploaded: TextIds.describe('The new text_ids.'),
    replaced: TextIds.optional().describe('Those that existed already and differed.'),
    skipped: TextIds.optional().describe('With skip: those that existed already.'),
    unchanged: TextIds.optional().describe('With replace: those that existed already, the same.'),
    ignored: TextIds.optional().describe('Names of unknown fields, not stored; at most 20.'),
  })
  .openapi('UploadAnswer')

export const exampleUploadLines = '{"text_id":"matthew-5-3","vector":[0.25,-0.5,0.75]}\n'
const counts = '"lines":1,"stored":1,"replaced":0,"skipped":0,"unchanged":0'
export const exampleProgress = `{${counts}}\n{${counts},"done":true}\n`
