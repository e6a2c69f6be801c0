import { z } from '@hono/zod-openapi'
import type { HonoRequest } from 'hono'
import { badRequest } from '../errors.ts'
import { jsonText } from '../http/answer-json-text.ts'
import type { BodyFormat } from '../http/body/format.ts'
import { createRouter, operation } from '../http/operation.ts'
import { projectParams } from '../http/path-params.ts'
import { onProject, onProjectWith } from '../http/permission.ts'
import { body, json, Message, offset, pageOf, pageSize } from '../http/schemas.ts'
import type { Log } from '../log.ts'
import type { createEmbeddings } from './embeddings.ts'
import {
  EmbeddingList,
  exampleEmbedding,
  exampleUpload,
  SingleEmbedding,
  TextId,
  textIdParam,
  UploadAnswer,
  UploadBody,
  UploadItem,
} from './schemas.ts'
import { textIdsIn } from './text-ids.ts'

const params = projectParams
const textParams = params.extend(textIdParam)
/** For text_ids that proxies break in a path. */
const textIdQuery = z.object({
  text_id: TextId.optional().openapi({
    description: 'Means this one embedding, as the path with its text_id does.',
  }),
})
const tags = ['Embeddings']
const exampleSingle = { ...exampleEmbedding, project_id: 1 }
const missing = { 404: 'There is no such project or embedding' }
const stranger = { 403: "Another user's project, or a role that is too low" }

const listEmbeddings = operation(
  onProject('project:read'),
  {
    method: 'get',
    path: '/v1/embeddings/{user}/{project}',
    operationId: 'listEmbeddings',
    summary: 'List the embeddings of a project',
    description:
      'Ordered by text_id (byte order). With ?text_id= the one embedding, as the path with its text_id answers it. Needs no key when public_read is true.',
    tags,
    request: { params, query: textIdQuery.extend({ limit: pageSize('limit'), offset }) },
    responses: {
      200: json(z.union([EmbeddingList, SingleEmbedding]), 'The embeddings', {
        embeddings: [exampleEmbedding],
        total_count: 1,
        limit: 10,
        offset: 0,
      }),
    },
  },
  { ...stranger, ...missing },
)

/** @param read makes of the bytes of a body what is validated */
const uploadOperation = (read: BodyFormat['parse']) =>
  operation(
    onProject('project:write'),
    {
      method: 'post',
      path: '/v1/embeddings/{user}/{project}',
      operationId: 'uploadEmbeddings',
      summary: 'Upload a batch of embeddings',
      description:
        'All or nothing: when one item is refused, nothing is stored, and the answer names the first bad item. Vectors are stored as float32. Batches of 100 to 1000 are a good size.',
      tags,
      request: { params, body: body(UploadBody, exampleUpload) },
      responses: {
        201: json(UploadAnswer, 'All are stored', {
          message: '1 embedding uploaded',
          uploaded: ['matthew-5-3'],
        }),
      },
    },
    { ...stranger, ...missing, 409: 'A text_id is there already' },
    { size: 'bulk', parse: read },
  )

const deleteEmbeddings = operation(
  onProject((request) => (namesOne(request) ? 'project:write' : 'project:manage')),
  {
    method: 'delete',
    path: '/v1/embeddings/{user}/{project}',
    operationId: 'deleteAllEmbeddings',
    summary: 'Delete all embeddings of a project',
    description:
      'For the owner and the administrator. With ?text_id= only that embedding is deleted, which editors may do as well. Any other query parameter is refused, so that a misspelt one does not delete everything.',
    tags,
    request: { params, query: z.strictObject({ text_id: TextId.optional() }) },
    responses: {
      200: json(z.object({ message: z.string(), deleted_count: z.int() }), 'They are gone', {
        message: '3779 embeddings deleted',
        deleted_count: 3779,
      }),
    },
  },
  { ...stranger, ...missing },
)

const getOperation = ({ readAhead }: Pick<ReturnType<typeof createEmbeddings>, 'readAhead'>) =>
  operation(
    onProjectWith((target, request, keyHash) =>
      readAhead(target, request.param('text_id') ?? '', keyHash),
    ),
    {
      method: 'get',
      path: '/v1/embeddings/{user}/{project}/{text_id}',
      operationId: 'getEmbedding',
      summary: 'Show an embedding',
      description: 'Needs no key when public_read is true.',
      tags,
      request: { params: textParams },
      responses: { 200: json(SingleEmbedding, 'The embedding', exampleSingle) },
    },
    { ...stranger, ...missing },
  )

const deleteEmbedding = operation(
  onProject('project:write'),
  {
    method: 'delete',
    path: '/v1/embeddings/{user}/{project}/{text_id}',
    operationId: 'deleteEmbedding',
    summary: 'Delete an embedding',
    tags,
    request: { params: textParams },
    responses: {
      200: json(Message, 'The embedding is gone', { message: "Embedding 'matthew-5-3' deleted" }),
    },
  },
  { ...stranger, ...missing },
)

const namesOne = (request: HonoRequest) => request.query('text_id') !== undefined
const count = (number: number) => `${number} embedding${number === 1 ? '' : 's'}`

const toUpload = (item: z.output<typeof UploadItem>) => ({
  textId: item.text_id,
  instanceHandle: item.instance_handle,
  vector: item.vector,
  vectorDim: item.vector_dim,
  text: item.text ?? null,
  metadata: item.metadata ?? null,
})

interface Dependencies {
  readonly embeddings: ReturnType<typeof createEmbeddings>
  readonly readUpload: BodyFormat['parse']
  /** To be told what was stored, and of what size the body was. */
  readonly uploaded: (upload: { readonly bytes: number; readonly embeddings: number }) => void
  readonly log: Log
}

export function embeddingRoutes({ embeddings, readUpload, uploaded, log }: Dependencies) {
  const router = createRouter()
  // The schema of an upload's items refers to it.
  router.openAPIRegistry.register('EmbeddingInput', UploadItem)
  router.openapi(listEmbeddings, async (c) => {
    const { project } = c.get('granted')
    const { text_id, ...page } = c.req.valid('query')
    if (text_id !== undefined) return jsonText(c, await embeddings.get(project, [text_id]))
    return jsonText(c, await embeddings.list(project, pageOf(page)), (cause) =>
      log.warn('list of embeddings broken off', { id: c.var.requestId, cause }),
    )
  })
  router.openapi(uploadOperation(readUpload), async (c) => {
    const uploads = c.req.valid('json').embeddings.map(toUpload)
    await embeddings.store(c.get('granted').project, uploads)
    uploaded({ bytes: c.get('bodyBytes') ?? 0, embeddings: uploads.length })
    const textIds = uploads.map(({ textId }) => textId)
    return c.json({ message: `${count(textIds.length)} uploaded`, uploaded: textIds }, 201)
  })
  router.openapi(deleteEmbeddings, async (c) => {
    const { project } = c.get('granted')
    const { text_id } = c.req.valid('query')
    if (text_id !== undefined) {
      await embeddings.remove(project, [text_id])
      return c.json({ message: `Embedding '${text_id}' deleted`, deleted_count: 1 }, 200)
    }
    // The schema refuses misspelt parameters, but does not get to see one without a name.
    if (new URL(c.req.url).search !== '') throw badRequest('Only ?text_id= is known here')
    const deleted_count = await embeddings.removeAll(project)
    return c.json({ message: `${count(deleted_count)} deleted`, deleted_count }, 200)
  })
  router.openapi(getOperation(embeddings), async (c) => {
    const { project, ahead } = c.get('granted')
    const textIds = textIdsIn(c.req.url, c.req.valid('param').text_id)
    return jsonText(c, await embeddings.get(project, textIds, await ahead))
  })
  router.openapi(deleteEmbedding, async (c) => {
    const textIds = textIdsIn(c.req.url, c.req.valid('param').text_id)
    const textId = await embeddings.remove(c.get('granted').project, textIds)
    return c.json({ message: `Embedding '${textId}' deleted` }, 200)
  })
  return router
}
