import { z } from '@hono/zod-openapi'
import type { Instance } from '../access/access.ts'
import type { Project } from '../access/project.ts'
import { changedMeanwhile } from '../errors.ts'
import { createdAt, createdJson } from '../http/created.ts'
import { createRouter, get, post, remove } from '../http/operation.ts'
import { granteeParam, instanceParams, projectParams } from '../http/path-params.ts'
import { onInstance, onProject, type Permission } from '../http/permission.ts'
import { body, json } from '../http/schemas.ts'
import { exampleShare, exampleShareRequest, RoleSchema, Share, ShareRequest } from './schemas.ts'
import type { Shared, Sharing } from './sharing.ts'

const sharedOf = (id: number, { ownerId, owner, handle }: Project | Instance): Shared => ({
  id,
  ownerId,
  name: `${owner}/${handle}`,
})

/** Turns a permission for a project or an instance into one for its sharing. */
const toShare = <Granted>(
  permission: Permission<Granted>,
  shared: (granted: Granted) => Shared,
): Permission<Shared> => ({
  ...permission,
  lookUp: async (...request) => {
    const { caller, authorize } = await permission.lookUp(...request)
    return { caller, authorize: () => shared(authorize()) }
  },
})

type Action = 'manage' | 'unshare'

const sharedProjects = {
  noun: 'project',
  a: 'a project',
  Noun: 'Project',
  collection: 'projects',
  path: '/v1/projects/{user}/{project}',
  params: projectParams,
  example: 'alice/verses',
  missing: "Project 'alice/verses' not found",
  sharing:
    'A reader reads embeddings and searches; an editor also uploads and deletes single embeddings.',
  unsharing: '',
  on: (action: Action, grantee?: 'grantee') =>
    toShare(onProject(`project:${action}`, grantee), ({ project }) =>
      sharedOf(project.projectId, project),
    ),
}

const sharedInstances = {
  noun: 'instance',
  a: 'an instance',
  Noun: 'Instance',
  collection: 'llm-services',
  path: '/v1/llm-services/{user}/{instance}',
  params: instanceParams,
  example: 'alice/my-model',
  missing: "LLM service instance 'alice/my-model' not found",
  sharing: 'The user may use the instance in projects, but neither see its key nor change it.',
  unsharing:
    ' Projects that already use the instance continue to work; only new references are refused.',
  on: (action: Action, grantee?: 'grantee') =>
    toShare(onInstance(`instance:${action}`, grantee), ({ instance }) =>
      sharedOf(instance.instanceId, instance),
    ),
}

type Kind = typeof sharedProjects | typeof sharedInstances

function shareOperation(kind: Kind) {
  const { noun, Noun, example: name } = kind
  const Answer = z
    .object({ message: z.string(), [noun]: z.string(), shared_with: z.string(), role: RoleSchema })
    .openapi(`${Noun}ShareAnswer`)
  const message = `'${name}' shared with 'bob' as reader`
  const example = { message, [noun]: name, shared_with: 'bob', role: 'reader' as const }
  return post(kind.on('manage'), `${kind.path}/share`, {
    operationId: `share${Noun}`,
    summary: `Share ${kind.a} with a user`,
    description: `${kind.sharing} Sharing again changes the role.`,
    request: { params: kind.params, body: body(ShareRequest, exampleShareRequest) },
    responses: {
      200: json(Answer, 'The role of an existing share was set', example),
      201: createdJson(Answer, `The ${noun} was shared`, example),
    },
    errors: {
      404: [`There is no such ${noun} or user`, kind.missing],
      409: ['A concurrent request changed the same resource', changedMeanwhile().message],
    },
  })
}

function unshareOperation(kind: Kind) {
  const { noun, example: name } = kind
  const Answer = z.object({ message: z.string(), [noun]: z.string(), removed_user: z.string() })
  const message = `'${name}' is no longer shared with 'bob'`
  return remove(kind.on('unshare', 'grantee'), `${kind.path}/share/{grantee}`, {
    operationId: `unshare${kind.Noun}`,
    summary: "End a user's share",
    description: `Users may end their own shares.${kind.unsharing}`,
    request: { params: kind.params.extend(granteeParam) },
    responses: {
      200: json(Answer, 'The share was removed', { message, [noun]: name, removed_user: 'bob' }),
    },
    errors: {
      404: [`There is no such ${noun}, user or share`, `'${name}' is not shared with 'carol'`],
    },
  })
}

function listOperation(kind: Kind) {
  const { noun, example: name } = kind
  const Answer = z.object({ [noun]: z.string(), shared_with: z.array(Share) })
  return get(kind.on('manage'), `${kind.path}/shared-with`, {
    operationId: `list${kind.Noun}Shares`,
    summary: `List the users that ${kind.a} is shared with`,
    description: 'For the owner and the administrator.',
    request: { params: kind.params },
    responses: {
      200: json(Answer, 'The shares, by user', { [noun]: name, shared_with: [exampleShare] }),
    },
  })
}

function sharingRoutes(kind: Kind, sharing: Sharing) {
  const { noun, collection } = kind
  const router = createRouter()
  router.openapi(shareOperation(kind), async (c) => {
    const { share_with_handle: user, role } = c.req.valid('json')
    const shared = c.get('granted')
    const created = await sharing.share(shared, user, role)
    const message = `'${shared.name}' shared with '${user}' as ${role}`
    const status = created ? createdAt(c, collection, shared.name, 'share', user) : 200
    return c.json({ message, [noun]: shared.name, shared_with: user, role }, status)
  })
  router.openapi(unshareOperation(kind), async (c) => {
    const { grantee: user } = c.req.valid('param')
    const shared = c.get('granted')
    await sharing.unshare(shared, user)
    const message = `'${shared.name}' is no longer shared with '${user}'`
    return c.json({ message, [noun]: shared.name, removed_user: user }, 200)
  })
  router.openapi(listOperation(kind), async (c) => {
    const shared = c.get('granted')
    return c.json({ [noun]: shared.name, shared_with: await sharing.list(shared) }, 200)
  })
  return router
}

export const projectSharingRoutes = (sharing: Sharing) => sharingRoutes(sharedProjects, sharing)
export const instanceSharingRoutes = (sharing: Sharing) => sharingRoutes(sharedInstances, sharing)
