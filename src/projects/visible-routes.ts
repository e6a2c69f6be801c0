import { z } from '@hono/zod-openapi'
import type { HonoRequest } from 'hono'
import { createRouter, operation } from '../http/operation.ts'
import { asCaller } from '../http/permission.ts'
import { json, offset, pageOf, pageSize } from '../http/schemas.ts'
import type { createProjects } from './projects.ts'
import { exampleCaller, exampleProject, Me, VisibilitySchema, VisibleProjects } from './schemas.ts'

const page = { limit: pageSize('limit'), offset }

const getCaller = operation(asCaller('caller:read'), {
  method: 'get',
  path: '/v1/me',
  operationId: 'getCaller',
  summary: 'Show the owner of the key and the projects it may use',
  description:
    'The user or the administrator, and the projects that the user owns or has a share of, with the role in each, in the order of their creation. For a named key, also its rights. A key that is limited to projects sees only these.',
  tags: ['Users'],
  request: { query: z.object(page) },
  responses: { 200: json(Me, 'The caller', exampleCaller) },
})

/** Without a key there are no own or shared projects. */
const asksForOwn = (request: HonoRequest) =>
  ['own', 'shared'].includes(request.query('visibility') ?? '')

const listVisibleProjects = operation(
  asCaller((request) => (asksForOwn(request) ? 'caller:list-own' : 'caller:list-visible')),
  {
    method: 'get',
    path: '/v1/projects',
    operationId: 'listVisibleProjects',
    summary: 'List the projects that the caller may read',
    description:
      'Lists own projects, projects shared with the caller, and public ones. Without a key, only public projects; for the administrator, all; with a key that is limited to projects, at most these. They are in the order of their creation, so new projects do not shift earlier pages.',
    tags: ['Projects'],
    request: { query: z.object({ visibility: VisibilitySchema, ...page }) },
    responses: {
      200: json(VisibleProjects, 'The projects', {
        projects: [{ ...exampleProject, role: 'owner' as const }],
        total_count: 1,
        limit: 10,
        offset: 0,
      }),
    },
  },
)

export function visibleProjectRoutes(projects: ReturnType<typeof createProjects>) {
  const router = createRouter()
  router.openapi(getCaller, async (c) => {
    const query = c.req.valid('query')
    return c.json(await projects.describeCaller(c.get('granted').caller, pageOf(query)), 200)
  })
  router.openapi(listVisibleProjects, async (c) => {
    const { visibility, ...query } = c.req.valid('query')
    return c.json(
      await projects.listVisible(c.get('granted').caller, visibility, pageOf(query)),
      200,
    )
  })
  return router
}
