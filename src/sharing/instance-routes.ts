import { z } from '@hono/zod-openapi'
import type { Instance } from '../access/instance.ts'
import { changedMeanwhile } from '../errors.ts'
import { createdAt, createdJson } from '../http/created.ts'
import { createRouter, operation } from '../http/operation.ts'
import { granteeParam, instanceParams } from '../http/path-params.ts'
import { onInstance } from '../http/permission.ts'
import { body, json } from '../http/schemas.ts'
import { exampleShare, exampleShareRequest, Role, Share, ShareRequest } from './schemas.ts'
import type { Sharing } from './sharing.ts'

const params = instanceParams
const tags = ['LLM service instances']
const missing = {
  404: ['There is no such instance or user', "LLM service instance 'alice/my-model' not found"],
} as const
const stranger = { 403: "Another user's instance" }

const ShareAnswer = z
  .object({ message: z.string(), instance: z.string(), shared_with: z.string(), role: Role })
  .openapi('InstanceShareAnswer')
const example = {
  message: "'alice/my-model' shared with 'bob' as reader",
  instance: 'alice/my-model',
  shared_with: 'bob',
  role: 'reader' as const,
}

const shareInstance = operation(
  onInstance('instance:manage'),
  {
    method: 'post',
    path: '/v1/llm-services/{user}/{instance}/share',
    operationId: 'shareInstance',
    summary: 'Share an instance with a user',
    description:
      'The user may use the instance in projects, but neither see its key nor change it. Sharing again changes the role.',
    tags,
    request: { params, body: body(ShareRequest, exampleShareRequest) },
    responses: {
      200: json(ShareAnswer, 'The role of an existing share was set', example),
      201: createdJson(ShareAnswer, 'The instance is shared', example),
    },
  },
  { ...stranger, ...missing, 409: ['Another request was in the way', changedMeanwhile().message] },
)

const unshareInstance = operation(
  onInstance('instance:unshare', 'grantee'),
  {
    method: 'delete',
    path: '/v1/llm-services/{user}/{instance}/share/{grantee}',
    operationId: 'unshareInstance',
    summary: 'End the share of a user',
    description:
      'Users may end their own shares. Projects that use the instance go on; only new references are refused.',
    tags,
    request: { params: params.extend(granteeParam) },
    responses: {
      200: json(
        z.object({ message: z.string(), instance: z.string(), removed_user: z.string() }),
        'The share is gone',
        {
          message: "'alice/my-model' is no longer shared with 'bob'",
          instance: 'alice/my-model',
          removed_user: 'bob',
        },
      ),
    },
  },
  {
    ...stranger,
    404: [
      'There is no such instance, user or share',
      "'alice/my-model' is not shared with 'carol'",
    ],
  },
)

const listShares = operation(
  onInstance('instance:manage'),
  {
    method: 'get',
    path: '/v1/llm-services/{user}/{instance}/shared-with',
    operationId: 'listInstanceShares',
    summary: 'List whom an instance is shared with',
    description: 'For the owner and the administrator.',
    tags,
    request: { params },
    responses: {
      200: json(
        z.object({ instance: z.string(), shared_with: z.array(Share) }),
        'The shares, by user',
        { instance: 'alice/my-model', shared_with: [exampleShare] },
      ),
    },
  },
  { ...stranger, ...missing },
)

const sharedOf = ({ instanceId, ownerId, owner, handle }: Instance) => ({
  id: instanceId,
  ownerId,
  name: `${owner}/${handle}`,
})

export function instanceSharingRoutes(sharing: Sharing) {
  const router = createRouter()
  router.openapi(shareInstance, async (c) => {
    const { share_with_handle: user, role } = c.req.valid('json')
    const shared = sharedOf(c.get('granted').instance)
    const created = await sharing.share(shared, user, role)
    const message = `'${shared.name}' shared with '${user}' as ${role}`
    const status = created ? createdAt(c, 'llm-services', shared.name, 'share', user) : 200
    return c.json({ message, instance: shared.name, shared_with: user, role }, status)
  })
  router.openapi(unshareInstance, async (c) => {
    const { grantee: user } = c.req.valid('param')
    const shared = sharedOf(c.get('granted').instance)
    await sharing.unshare(shared, user)
    const message = `'${shared.name}' is no longer shared with '${user}'`
    return c.json({ message, instance: shared.name, removed_user: user }, 200)
  })
  router.openapi(listShares, async (c) => {
    const shared = sharedOf(c.get('granted').instance)
    return c.json({ instance: shared.name, shared_with: await sharing.list(shared) }, 200)
  })
  return router
}
