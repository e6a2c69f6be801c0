import { z } from '@hono/zod-openapi'
import type { Project } from '../../access/project.ts'
import { badRequest } from '../../errors.ts'
import { filterCondition } from '../../filters/condition.ts'
import { type Filter, holdsForAll } from '../../filters/filter.ts'
import { listBody } from '../../http/body/format.ts'
import { createRouter, operation } from '../../http/operation.ts'
import { projectParams } from '../../http/path-params.ts'
import { onProject } from '../../http/permission.ts'
import { body, flag, json } from '../../http/schemas.ts'
import type { createEmbeddings } from '../embeddings.ts'
import { forbiddenMessage, noProject } from '../schemas.ts'
import { DeleteAnswer, DeleteBody } from './schemas.ts'

const params = projectParams
const tags = ['Embeddings']

const deleteMany = operation(
  onProject('project:write'),
  {
    method: 'post',
    path: '/v1/embeddings/{user}/{project}/delete',
    operationId: 'deleteEmbeddings',
    summary: 'Delete some embeddings of a project',
    description:
      'Deletes the embeddings in text_ids, or all that match filter, in one transaction: all or nothing. With dry_run=true, it only counts what would be deleted. A filter that matches every embedding is refused; to delete all of them, use DELETE of the collection.',
    tags,
    request: {
      params,
      query: z.object({
        dry_run: flag('dry_run', 'Only count what would be deleted.'),
      }),
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
  },
  {
    ...forbiddenMessage,
    ...noProject,
    400: 'filter holds for every embedding; to delete all of them, send DELETE /v1/embeddings/alice/verses',
  },
  { ...listBody, list: 'text_ids' },
)

const count = (number: number) => `${number} embedding${number === 1 ? '' : 's'}`

/**
 * @throws 400 if every embedding satisfies the filter, which may have been left empty by mistake
 */
function conditionOf(filter: Filter, { owner, handle }: Project) {
  if (!holdsForAll(filter)) return filterCondition(filter)
  throw badRequest(
    `filter holds for every embedding; to delete all of them, send DELETE /v1/embeddings/${owner}/${handle}`,
  )
}

export function embeddingEditRoutes(embeddings: ReturnType<typeof createEmbeddings>) {
  const router = createRouter()
  router.openapi(deleteMany, async (c) => {
    const { project } = c.get('granted')
    const { text_ids = [], filter } = c.req.valid('json')
    const { dry_run: isDry = false } = c.req.valid('query')
    const chosen =
      filter === undefined ? { textIds: text_ids } : { condition: conditionOf(filter, project) }
    const { count: matched_count, notFound } = await embeddings.removeMany(project, chosen, isDry)
    const message = `${count(matched_count)} ${isDry ? 'would be deleted' : 'deleted'}`
    const deleted_count = isDry ? 0 : matched_count
    return c.json({ message, matched_count, deleted_count, not_found: notFound }, 200)
  })
  return router
}
