import { z } from '@hono/zod-openapi'
import { ServiceError } from '../../errors.ts'
import { linesAnswer } from '../../http/lines-answer.ts'
import { createRouter, post } from '../../http/operation.ts'
import { projectParams as params } from '../../http/path-params.ts'
import { onProject } from '../../http/permission.ts'
import { requesterOf } from '../../http/requester.ts'
import { body, json, lines } from '../../http/schemas.ts'
import { providerErrors, type TextVectors } from '../../http/text-vectors.ts'
import { isLines, linesType } from '../../json/lines-type.ts'
import { isObject } from '../../json/parse.ts'
import { countOf, exampleUpload, forbiddenMessage } from '../schemas.ts'
import type { UploadReader } from './body/reader.ts'
import { storeLines, type UploadDependencies } from './lines.ts'
import {
  exampleProgress,
  exampleUploadLines,
  refuseFieldsInUrl,
  type Upload,
  UploadAnswer,
  UploadBody,
  UploadItem,
  uploadQuery,
} from './schemas.ts'
import type { ConflictRule } from './staging.ts'
import type { StoredUpload } from './upload.ts'

const sendLines = `an upload of lines (${linesType}) may have any length`

const uploadOperation = (reader: UploadReader) =>
  post(onProject('project:write'), '/v1/embeddings/{user}/{project}', {
    operationId: 'uploadEmbeddings',
    summary: 'Upload a batch of embeddings',
    description: `All or nothing: if one item is refused, nothing is stored, and the answer names the first bad item.

- Vectors are arrays of numbers, or base64 of little-endian float32, which is half as long. Good batches have 100 to 1000 items.
- As ${linesType} the body has one embedding per line, any number of them, stored in transactions of at most 1000. That answer has a line after each transaction and a last line with done, or with error and the number of the bad line. What is stored by then stays.`,
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
    errors: {
      ...forbiddenMessage,
      ...providerErrors,
      400: "dimension validation failed: vector dimension mismatch: embedding declares 2 dimensions but LLM service 'my-model' expects 3 dimensions (embeddings[0], text_id 'mark-1-11')",
      409: [
        'A text_id exists already',
        "Embedding 'matthew-5-3' already exists in project 'alice/verses' (embeddings[0])",
      ],
    },
    format: {
      size: 'bulk',
      isStreamed: isLines,
      list: 'embeddings',
      instead: sendLines,
      // The schema of the body has to know what the URL says about all items.
      parse: async (bytes, requester, request) => {
        const value = await reader.json(bytes, requester)
        return isObject(value) && request.query('embed') === 'true'
          ? { ...value, embed: true }
          : value
      },
    },
  })

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

/**
 * Under the rule 'error', the answer is that of the specification: there is nothing else to report.
 */
function uploadAnswer(stored: StoredUpload, rule: ConflictRule, names: readonly string[]) {
  const message = `${countOf(stored.uploaded.length)} uploaded`
  const uploaded = [...stored.uploaded]
  const ignored = names.length === 0 ? {} : { ignored: [...names] }
  if (rule === 'error') return { message, uploaded, ...ignored }
  const existing = {
    replaced: [...stored.replaced],
    skipped: [...stored.skipped],
    unchanged: [...stored.unchanged],
  }
  const counts = Object.entries(existing).filter(([, textIds]) => textIds.length > 0)
  const more = counts.map(([name, textIds]) => `, ${textIds.length} ${name}`).join('')
  return { message: message + more, uploaded, ...existing, ...ignored }
}

interface Dependencies extends UploadDependencies {
  readonly documentVectors: TextVectors
}

export function embeddingUploadRoutes(dependencies: Dependencies) {
  const { embeddings, reader, documentVectors, uploaded } = dependencies
  const router = createRouter()
  // The schema of an upload's items refers to it by `$ref`.
  router.openAPIRegistry.register('EmbeddingInput', UploadItem)
  router.openapi(uploadOperation(reader), async (c) => {
    const { project } = c.get('granted')
    const { on_conflict: rule = 'error', embed: embedsLines, ...once } = c.req.valid('query')
    const body = c.get('bodyStream')
    if (body !== undefined) {
      const counts = storeLines(dependencies, {
        project,
        grantAgain: c.get('grantAgain'),
        requester: requesterOf(c.req, project.owner, c.get('caller')),
        rule,
        once,
        embedTexts: embedsLines
          ? (granted, texts) => documentVectors(c, granted, texts, false)
          : undefined,
        body,
      })
      return linesAnswer(c, counts, 'upload')
    }
    const { uploads, embed, ignored } = c.req.valid('json')
    refuseFieldsInUrl(once)
    if (embed) refuseManyTexts(uploads)
    const embedTexts = (texts: readonly string[]) => documentVectors(c, c.get('granted'), texts)
    const stored = await embeddings.store(project, uploads, rule, embed ? embedTexts : undefined)
    uploaded({ bytes: c.get('bodyBytes') ?? 0, embeddings: uploads.length })
    return c.json(uploadAnswer(stored, rule, ignored), 201)
  })
  return router
}
