import { z } from '@hono/zod-openapi'
import type { HonoRequest } from 'hono'
import { ServiceError } from '../errors.ts'
import { linesAnswer } from '../http/lines-answer.ts'
import { createRouter, operation } from '../http/operation.ts'
import { projectParams } from '../http/path-params.ts'
import { onProject } from '../http/permission.ts'
import { requesterOf } from '../http/requester.ts'
import { body, flag, json, lines, MessageSchema } from '../http/schemas.ts'
import { providerErrors, type TextVectors } from '../http/text-vectors.ts'
import { isLines, linesType } from '../json/lines-type.ts'
import type { Log } from '../log.ts'
import type { ConflictRule } from './conflict-rule.ts'
import { DeleteAnswer } from './edits/schemas.ts'
import type { createEmbeddings } from './embeddings.ts'
import { isObject } from './metadata.ts'
import type { ParseBody } from './ndjson/read-lines.ts'
import { type LinesUpload, storeLines } from './ndjson/store-lines.ts'
import {
  exampleProgress,
  exampleUpload,
  exampleUploadLines,
  forbiddenMessage,
  noProject,
  notFoundMessage,
  onConflict,
  TextId,
  textIdParam,
  UploadAnswer,
} from './schemas.ts'
import type { StoredUpload } from './upload.ts'
import type { Upload } from './upload-checks.ts'
import { fieldsInUrl, refuseFieldsInUrl, UploadBody, UploadItem } from './upload-item/schemas.ts'

const params = projectParams
const textParams = params.extend(textIdParam)
const tags = ['Embeddings']

const sendLines = `an upload of lines (${linesType}) may have any length`
const uploadQuery = z.object({
  on_conflict: onConflict,
  ...fieldsInUrl,
  // The last one, because generated clients keep the order of the others.
  embed: flag(
    'embed',
    "Embed the texts of items without a vector, with the provider of the project's instance. Available to the owner, and to editors if text_queries allows it. It counts towards text_query_budget, unless the owner uses the first key.",
  ),
})

/** @param read parses the bytes of a body before validation */
const uploadOperation = (read: ParseBody) =>
  operation(
    onProject('project:write'),
    {
      method: 'post',
      path: '/v1/embeddings/{user}/{project}',
      operationId: 'uploadEmbeddings',
      summary: 'Upload a batch of embeddings',
      description: `All or nothing: if one item is refused, nothing is stored, and the answer names the first bad item. Vectors are stored as float32: send arrays of numbers, or base64 of little-endian float32, which is half as long. Give instance_handle and vector_dim in each item, or once beside embeddings. Unknown fields are not stored; the answer lists them in ignored. Good batches have 100 to 1000 items.

As ${linesType} the body has one embedding per line, any number of them, stored in transactions of at most 1000. Lines may omit instance_handle and vector_dim, or the URL may give them. The answer has a line after each transaction, and a last line with done, or with error and the number of the bad line; earlier transactions stay stored. If nothing has been stored yet, the answer is an ordinary error.

The answer has no Location header: embeddings are below the URL of the request.`,
      tags,
      request: {
        params,
        query: uploadQuery,
        body: {
          required: true,
          content: {
            ...body(UploadBody, exampleUpload).content,
            [linesType]: {
              schema: z.custom<never>().openapi({ type: 'string' }),
              example: exampleUploadLines,
            },
          },
        },
      },
      responses: {
        200: lines(
          'For lines: the progress after each transaction, and finally the totals',
          exampleProgress,
        ),
        201: json(UploadAnswer, 'All embeddings were stored', {
          message: '1 embedding uploaded',
          uploaded: ['matthew-5-3'],
        }),
      },
    },
    {
      ...forbiddenMessage,
      ...noProject,
      ...providerErrors,
      400: "dimension validation failed: vector dimension mismatch: embedding declares 2 dimensions but LLM service 'my-model' expects 3 dimensions (embeddings[0], text_id 'mark-1-11')",
      409: [
        'A text_id exists already',
        "Embedding 'matthew-5-3' already exists in project 'alice/verses' (embeddings[0])",
      ],
    },
    {
      ...{ size: 'bulk', isStreamed: isLines, list: 'embeddings', instead: sendLines },
      parse: async (bytes, requester, request) => withEmbed(await read(bytes, requester), request),
    },
  )

const deleteEmbeddings = operation(
  onProject((request) => (namesOne(request) ? 'project:write' : 'project:manage')),
  {
    method: 'delete',
    path: '/v1/embeddings/{user}/{project}',
    operationId: 'deleteAllEmbeddings',
    summary: 'Delete all embeddings of a project',
    description:
      'For the owner and the administrator. With ?text_id= only that embedding is deleted, which editors may do too. With dry_run=true, it only counts what would be deleted. Here as everywhere, a misspelt query parameter is refused, so it cannot delete everything by accident.',
    tags,
    request: {
      params,
      query: z.object({
        text_id: TextId.optional(),
        dry_run: flag('dry_run', 'Only count what would be deleted.'),
      }),
    },
    responses: {
      200: json(
        DeleteAnswer.omit({ not_found: true }),
        'The embeddings were deleted or, with dry_run=true, counted',
        {
          message: '3779 embeddings deleted',
          matched_count: 3779,
          deleted_count: 3779,
        },
      ),
    },
  },
  { ...forbiddenMessage, ...notFoundMessage },
)

const deleteEmbedding = operation(
  onProject('project:write'),
  {
    method: 'delete',
    path: '/v1/embeddings/{user}/{project}/{text_id}',
    operationId: 'deleteEmbedding',
    summary: 'Delete an embedding',
    description:
      'For the owner, the administrator and editors. The path is decoded exactly once, so a repeated deletion never deletes another embedding. The text_id can be uploaded again.',
    tags,
    request: { params: textParams },
    responses: {
      200: json(MessageSchema, 'The embedding was deleted', {
        message: "Embedding 'matthew-5-3' deleted",
      }),
    },
  },
  { ...forbiddenMessage, ...notFoundMessage },
)

/** Adds what the URL says about all items, because the schema of the body needs it. */
const withEmbed = (value: unknown, request: HonoRequest): unknown =>
  isObject(value) && request.query('embed') === 'true' ? { ...value, embed: true } : value

/** With more texts, the body would stay in memory for as long as the provider takes. */
const maxTexts = 1_000
const maxCharacters = 1_000_000

/** @throws 413 if there are more texts than are embedded in one answer */
function refuseManyTexts(uploads: readonly Upload[]): void {
  const texts = uploads.flatMap(({ vector, text }) => (vector === undefined ? [text ?? ''] : []))
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  if (texts.length <= maxTexts && characters <= maxCharacters) return
  throw new ServiceError(
    'too-large',
    `At most ${maxTexts} texts of ${maxCharacters} characters in all are embedded in one upload in JSON; ${sendLines}`,
  )
}

const namesOne = (request: HonoRequest) => request.query('text_id') !== undefined
const count = (number: number) => `${number} embedding${number === 1 ? '' : 's'}`
const deleteAnswer = (what: string, matched_count: number, isDry: boolean) => ({
  message: `${what} ${isDry ? 'would be deleted' : 'deleted'}`,
  matched_count,
  deleted_count: isDry ? 0 : matched_count,
})

/**
 * Under the rule 'error', the answer is that of the specification: there is nothing else to report.
 */
function uploadAnswer(
  { uploaded, replaced, skipped, unchanged }: StoredUpload,
  rule: ConflictRule,
  names: readonly string[],
) {
  const message = `${count(uploaded.length)} uploaded`
  const ignored = names.length === 0 ? {} : { ignored: [...names] }
  if (rule === 'error') return { message, uploaded: [...uploaded], ...ignored }
  const others = { replaced: [...replaced], skipped: [...skipped], unchanged: [...unchanged] }
  const counts = Object.entries(others).filter(([, ids]) => ids.length > 0)
  const more = counts.map(([name, ids]) => `, ${ids.length} ${name}`).join('')
  return { message: message + more, uploaded: [...uploaded], ...others, ...ignored }
}

interface Dependencies {
  readonly embeddings: ReturnType<typeof createEmbeddings>
  readonly readUpload: ParseBody
  readonly documentVectors: TextVectors
  /** Called with the number of stored embeddings and the size of the body. */
  readonly uploaded: (upload: { readonly bytes: number; readonly embeddings: number }) => void
  readonly log: Log
}

export function embeddingRoutes(dependencies: Dependencies) {
  const { embeddings, readUpload, documentVectors, uploaded, log } = dependencies
  const router = createRouter()
  // The schema of an upload's items refers to it by `$ref`.
  router.openAPIRegistry.register('EmbeddingInput', UploadItem)
  router.openapi(uploadOperation(readUpload), async (c) => {
    const { project } = c.get('granted')
    const { on_conflict: rule = 'error', embed = false, ...once } = c.req.valid('query')
    const body = c.get('bodyStream')
    if (body !== undefined) {
      const requester = requesterOf(c.req, project.owner, c.get('caller'))
      const embedTexts: LinesUpload['embedTexts'] = (granted, texts) =>
        documentVectors(c, granted, texts, false)
      const grantAgain = c.get('grantAgain')
      const upload = { project, grantAgain, requester, rule, once, embed, embedTexts, body }
      const counts = storeLines({ embeddings, parse: readUpload, uploaded }, upload)
      return linesAnswer(c, counts, (cause, status) => {
        if (status >= 500) log.warn('upload failed', { id: c.var.requestId, cause })
      })
    }
    const { uploads, ignored } = c.req.valid('json')
    refuseFieldsInUrl(once)
    refuseManyTexts(uploads)
    const stored = await embeddings.store(project, uploads, rule, (texts) =>
      documentVectors(c, c.get('granted'), texts),
    )
    uploaded({ bytes: c.get('bodyBytes') ?? 0, embeddings: uploads.length })
    return c.json(uploadAnswer(stored, rule, ignored), 201)
  })
  router.openapi(deleteEmbeddings, async (c) => {
    const { project } = c.get('granted')
    const { text_id: one, dry_run: isDry = false } = c.req.valid('query')
    if (one !== undefined) await embeddings.remove(project, one, isDry)
    if (one !== undefined) return c.json(deleteAnswer(`Embedding '${one}'`, 1, isDry), 200)
    const matched = await embeddings.removeAll(project, isDry)
    return c.json(deleteAnswer(count(matched), matched, isDry), 200)
  })
  router.openapi(deleteEmbedding, async (c) => {
    // Decoded once and not used as sent: a repeated DELETE must not reach another text.
    const { text_id: textId } = c.req.valid('param')
    await embeddings.remove(c.get('granted').project, textId)
    return c.json({ message: `Embedding '${textId}' deleted` }, 200)
  })
  return router
}
