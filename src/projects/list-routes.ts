import { z } from '@hono/zod-openapi'
import type { HonoRequest } from 'hono'
import { createRouter, get } from '../http/operation.ts'
import { userParams } from '../http/path-params.ts'
import { asCaller, inNamespace } from '../http/permission.ts'
import { json, offset, pageOf, pageSize } from '../http/schemas.ts'
import type { createProjects } from './projects.ts'
import {
  exampleCaller,
  examplePage,
  exampleVisiblePage,
  IncludeShared,
  Me,
  ProjectList,
  VisibilitySchema,
  VisibleProjects,
} from './schemas.ts'
import { presentCaller } from './show.ts'

const page = { limit: pageSize('limit'), offset }

const getCaller = get(asCaller('caller:read'), '/v1/me', {
  operationId: 'getCaller',
  summary: 'Show the owner of the key and the projects it may use',
  description:
    'The user or the administrator, and the projects that the user owns or has a share of, with the role in each, in the order of their creation. For a named key, also its rights. Also the hosts whose models the projects may use. A key that is limited to projects sees only these.',
  request: { query: z.object(page) },
  responses: { 200: json(Me, 'The caller', exampleCaller) },
})

/** Without a key there are no own or shared projects. */
const asksForOwn = (request: HonoRequest) =>
  ['own', 'shared'].includes(request.query('visibility') ?? '')

const listVisibleProjects = get(
  asCaller((request) => (asksForOwn(request) ? 'caller:list-own' : 'caller:list-visible')),
  '/v1/projects',
  {
    operationId: 'listVisibleProjects',
    summary: 'List the projects that the caller may read',
    description:
      'Lists own projects, projects shared with the caller, and public ones. Without a key, only public projects; for the administrator, all; with a key that is limited to projects, at most these. They are in the order of their creation, so new projects do not shift earlier pages.',
    request: { query: z.object({ visibility: VisibilitySchema, ...page }) },
    responses: { 200: json(VisibleProjects, 'The projects', exampleVisiblePage) },
  },
)

const listProjects = get(inNamespace('projects:list'), '/v1/projects/{user}', {
  operationId: 'listProjects',
  summary: 'List the projects of a user',
  description:
    "For the user and the administrator: the user's own projects. For others: those of them that are shared with the caller.",
  request: { params: userParams, query: z.object({ ...page, include_shared: IncludeShared }) },
  responses: { 200: json(ProjectList, 'The projects, by owner and handle', examplePage) },
  errors: { 400: 'limit must be between 1 and 200', 403: 'Nothing is shared with the caller' },
})

export function projectListRoutes(
  projects: ReturnType<typeof createProjects>,
  embedding_hosts: string[],
) {
  const router = createRouter()
  router.openapi(getCaller, async (c) => {
    const { caller } = c.get('granted')
    const page = pageOf(c.req.valid('query'))
    const usable = await projects.listReadable(caller, page, ['own', 'shared'])
    return c.json({ ...presentCaller(caller), embedding_hosts, ...usable }, 200)
  })
  router.openapi(listVisibleProjects, async (c) => {
    const { visibility, ...query } = c.req.valid('query')
    const reasons = visibility && [visibility]
    return c.json(await projects.listReadable(c.get('granted').caller, pageOf(query), reasons), 200)
  })
  router.openapi(listProjects, async (c) => {
    const { caller, owner } = c.get('granted')
    const { include_shared = false, ...query } = c.req.valid('query')
    return c.json(await projects.list(caller, owner, pageOf(query), include_shared), 200)
  })
  return router
}
