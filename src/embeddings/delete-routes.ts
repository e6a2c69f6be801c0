import { z } from '@hono/zod-openapi'
import type { HonoRequest } from 'hono'
import type { Project } from '../access/project.ts'
import { badRequest } from '../errors.ts'
import { filterCondition } from '../filters/condition.ts'
import { type Filter, holdsForAll } from '../filters/filter.ts'
import { FilterInBody } from '../filters/schemas.ts'
import { listBody } from '../http/body/format.ts'
import { createRouter, post, remove } from '../http/operation.ts'
import { projectParams } from '../http/path-params.ts'
import { onProject } from '../http/permission.ts'
import { body, closedObject, flag, json, messageJson, ofSound } from '../http/schemas.ts'
import type { createEmbeddings } from './embeddings.ts'
import { countOf, forbiddenMessage, notFoundMessage, TextId, textIdParam } from './schemas.ts'

const params = projectParams
const dryRun = flag('dry_run', 'Only count what would be deleted.')

const maxChosen = 10_000

/** Refuses unknown fields: if `dry_run` in the body were ignored, embeddings would be deleted. */
const DeleteBody = closedObject({
  text_ids: z
    .array(TextId)
    .max(maxChosen, `must have at most ${maxChosen} text_ids`)
    .optional()
    .describe('The embeddings to delete.'),
  filter: FilterInBody.optional(),
})
  .refine(
    ({ text_ids, filter }) => (text_ids === undefined) !== (filter === undefined),
    ofSound('text_ids or filter must be given, and only one of them'),
  )
  .openapi('DeleteEmbeddings')

const DeleteAnswer = z
  .object({
    message: z.string(),
    matched_count: z.int(),
    deleted_count: z.int().describe('0 with dry_run=true.'),
    not_found: z.array(z.string()).optional().describe('The given text_ids that do not exist.'),
  })
  .openapi('DeleteAnswer')

const deleteMany = post(onProject('project:write'), '/v1/embeddings/{user}/{project}/delete', {
  operationId: 'deleteEmbeddings',
  summary: 'Delete some embeddings of a project',
  description:
    'Deletes the embeddings in text_ids, or all that match filter, in one transaction: all or nothing. A filter that matches every embedding is refused; to delete all of them, use DELETE of the collection.',
  request: {
    params,
    query: z.object({ dry_run: dryRun }),
    body: body(DeleteBody, { text_ids: ['matthew-5-3', 'mark-1-11'] }),
  },
  responses: {
    200: json(DeleteAnswer, 'The embeddings were deleted or, with dry_run=true, counted', {
      message: '1 embedding deleted',
      matched_count: 1,
      deleted_count: 1,
      not_found: ['mark-1-11'],
    }),
  },
  errors: {
    ...forbiddenMessage,
    400: 'filter holds for every embedding; to delete all of them, send DELETE /v1/embeddings/alice/verses',
  },
  format: { ...listBody, list: 'text_ids' },
})

const namesOne = (request: HonoRequest) => request.query('text_id') !== undefined

const deleteAll = remove(
  onProject((request) => (namesOne(request) ? 'project:write' : 'project:manage')),
  '/v1/embeddings/{user}/{project}',
  {
    operationId: 'deleteAllEmbeddings',
    summary: 'Delete all embeddings of a project',
    description:
      'For the owner and the administrator. With ?text_id= only that embedding is deleted, which editors may do too. A misspelt query parameter is refused, so it cannot delete everything by accident.',
    request: { params, query: z.object({ text_id: TextId.optional(), dry_run: dryRun }) },
    responses: {
      200: json(
        DeleteAnswer.omit({ not_found: true }),
        'The embeddings were deleted or, with dry_run=true, counted',
        { message: '3779 embeddings deleted', matched_count: 3779, deleted_count: 3779 },
      ),
    },
    errors: { ...forbiddenMessage, ...notFoundMessage },
  },
)

const deleteOne = remove(onProject('project:write'), '/v1/embeddings/{user}/{project}/{text_id}', {
  operationId: 'deleteEmbedding',
  summary: 'Delete an embedding',
  description:
    'For the owner, the administrator and editors. The path is decoded exactly once, so a repeated deletion never deletes another embedding. The text_id can be uploaded again.',
  request: { params: params.extend(textIdParam) },
  responses: { 200: messageJson('The embedding was deleted', "Embedding 'matthew-5-3' deleted") },
  errors: { ...forbiddenMessage, ...notFoundMessage },
})

/**
 * @throws 400 if every embedding satisfies the filter, which may have been left empty by mistake
 */
function conditionOf(filter: Filter, { owner, handle }: Project) {
  if (!holdsForAll(filter)) return filterCondition(filter)
  throw badRequest(
    `filter holds for every embedding; to delete all of them, send DELETE /v1/embeddings/${owner}/${handle}`,
  )
}

const answerOf = (what: string, matched_count: number, isDry: boolean) => ({
  message: `${what} ${isDry ? 'would be deleted' : 'deleted'}`,
  matched_count,
  deleted_count: isDry ? 0 : matched_count,
})

export function embeddingDeleteRoutes(embeddings: ReturnType<typeof createEmbeddings>) {
  const router = createRouter()
  router.openapi(deleteMany, async (c) => {
    const { project } = c.get('granted')
    const { text_ids: textIds = [], filter } = c.req.valid('json')
    const { dry_run: isDry = false } = c.req.valid('query')
    const chosen = filter === undefined ? { textIds } : { condition: conditionOf(filter, project) }
    const { count, notFound } = await embeddings.removeMany(project, chosen, isDry)
    return c.json({ ...answerOf(countOf(count), count, isDry), not_found: notFound }, 200)
  })
  router.openapi(deleteAll, async (c) => {
    const { project } = c.get('granted')
    const { text_id: textId, dry_run: isDry = false } = c.req.valid('query')
    if (textId !== undefined) {
      await embeddings.remove(project, textId, isDry)
      return c.json(answerOf(`Embedding '${textId}'`, 1, isDry), 200)
    }
    const count = await embeddings.removeAll(project, isDry)
    return c.json(answerOf(countOf(count), count, isDry), 200)
  })
  router.openapi(deleteOne, async (c) => {
    // Decoded once and not used as sent: a repeated DELETE must not reach another text.
    const { text_id: textId } = c.req.valid('param')
    await embeddings.remove(c.get('granted').project, textId)
    return c.json({ message: `Embedding '${textId}' deleted` }, 200)
  })
  return router
}
