import { z } from '@hono/zod-openapi'
import type { Project } from '../access/project.ts'
import { changedMeanwhile } from '../errors.ts'
import { createdAt, createdJson } from '../http/created.ts'
import { createRouter, operation } from '../http/operation.ts'
import { granteeParam, projectParams } from '../http/path-params.ts'
import { onProject } from '../http/permission.ts'
import { body, json } from '../http/schemas.ts'
import { exampleShare, exampleShareRequest, Role, Share, ShareRequest } from './schemas.ts'
import type { Sharing } from './sharing.ts'

const params = projectParams
const tags = ['Projects']
const missing = {
  404: ['There is no such project or user', "Project 'alice/verses' not found"],
} as const
const stranger = { 403: "Another user's project" }

const ShareAnswer = z
  .object({ message: z.string(), project: z.string(), shared_with: z.string(), role: Role })
  .openapi('ProjectShareAnswer')
const example = {
  message: "'alice/verses' shared with 'bob' as reader",
  project: 'alice/verses',
  shared_with: 'bob',
  role: 'reader' as const,
}

const shareProject = operation(
  onProject('project:manage'),
  {
    method: 'post',
    path: '/v1/projects/{user}/{project}/share',
    operationId: 'shareProject',
    summary: 'Share a project with a user',
    description:
      'A reader reads embeddings and searches; an editor also uploads and deletes single embeddings. Sharing again changes the role.',
    tags,
    request: { params, body: body(ShareRequest, exampleShareRequest) },
    responses: {
      200: json(ShareAnswer, 'The role of an existing share was set', example),
      201: createdJson(ShareAnswer, 'The project is shared', example),
    },
  },
  { ...stranger, ...missing, 409: ['Another request was in the way', changedMeanwhile().message] },
)

const unshareProject = operation(
  onProject('project:unshare', 'grantee'),
  {
    method: 'delete',
    path: '/v1/projects/{user}/{project}/share/{grantee}',
    operationId: 'unshareProject',
    summary: 'End the share of a user',
    description: 'Users may end their own shares.',
    tags,
    request: { params: params.extend(granteeParam) },
    responses: {
      200: json(
        z.object({ message: z.string(), project: z.string(), removed_user: z.string() }),
        'The share is gone',
        {
          message: "'alice/verses' is no longer shared with 'bob'",
          project: 'alice/verses',
          removed_user: 'bob',
        },
      ),
    },
  },
  {
    ...stranger,
    404: ['There is no such project, user or share', "'alice/verses' is not shared with 'carol'"],
  },
)

const listShares = operation(
  onProject('project:manage'),
  {
    method: 'get',
    path: '/v1/projects/{user}/{project}/shared-with',
    operationId: 'listProjectShares',
    summary: 'List whom a project is shared with',
    description: 'For the owner and the administrator.',
    tags,
    request: { params },
    responses: {
      200: json(
        z.object({ project: z.string(), shared_with: z.array(Share) }),
        'The shares, by user',
        { project: 'alice/verses', shared_with: [exampleShare] },
      ),
    },
  },
  { ...stranger, ...missing },
)

const sharedOf = ({ projectId, ownerId, owner, handle }: Project) => ({
  id: projectId,
  ownerId,
  name: `${owner}/${handle}`,
})

export function projectSharingRoutes(sharing: Sharing) {
  const router = createRouter()
  router.openapi(shareProject, async (c) => {
    const { share_with_handle: user, role } = c.req.valid('json')
    const shared = sharedOf(c.get('granted').project)
    const created = await sharing.share(shared, user, role)
    const message = `'${shared.name}' shared with '${user}' as ${role}`
    const status = created ? createdAt(c, 'projects', shared.name, 'share', user) : 200
    return c.json({ message, project: shared.name, shared_with: user, role }, status)
  })
  router.openapi(unshareProject, async (c) => {
    const { grantee: user } = c.req.valid('param')
    const shared = sharedOf(c.get('granted').project)
    await sharing.unshare(shared, user)
    const message = `'${shared.name}' is no longer shared with '${user}'`
    return c.json({ message, project: shared.name, removed_user: user }, 200)
  })
  router.openapi(listShares, async (c) => {
    const shared = sharedOf(c.get('granted').project)
    return c.json({ project: shared.name, shared_with: await sharing.list(shared) }, 200)
  })
  return router
}
