import { createRouter, operation } from '../../http/operation.ts'
import { admin } from '../../http/permission.ts'
import { json } from '../../http/schemas.ts'
import type { createOverview } from './overview.ts'
import { overviewExample, ServiceOverview } from './schemas.ts'

const getOverview = operation(
  admin('service:watch'),
  {
    method: 'get',
    path: '/v1/admin/overview',
    operationId: 'getOverview',
    summary: 'Who and what is large, slow or refused',
    description:
      'The largest users and projects, search indexes with their measured recall, vectors in memory, and what was slow or refused since this server has started. Of each at most 100 are listed. No embedding is read; sizes in bytes are estimates, but those of the database and of indexes.',
    tags: ['Service'],
    responses: { 200: json(ServiceOverview, 'The overview', overviewExample) },
  },
  { 403: 'Only the administrator may look at the whole service' },
)

export function overviewRoutes(overview: ReturnType<typeof createOverview>) {
  const router = createRouter()
  router.openapi(getOverview, async (c) => c.json(await overview(), 200))
  return router
}
