import { z } from '@hono/zod-openapi'
import { createdAt, createdJson } from '../http/created.ts'
import { createRouter, get, patch, post, put, remove } from '../http/operation.ts'
import { sameHandle, userParams } from '../http/path-params.ts'
import { admin, inNamespace } from '../http/permission.ts'
import { body, json, messageJson, NewUserHandle, text, UserHandle } from '../http/schemas.ts'
import type { createUsers } from './users.ts'

const Name = text(255).openapi({ description: 'Full name.', example: 'Alice Liddell' })
const Email = text(255)
  .regex(/^[^\s@]+@[^\s@]+$/, 'must look like an e-mail address')
  .openapi({ example: 'alice@example.org' })

const Profile = z.object({ name: Name.nullish(), email: Email.nullish() })
const ProfileOfUser = Profile.extend({ user_handle: UserHandle.optional() })

const User = z
  .object({ user_handle: UserHandle, name: Name.optional(), email: Email.optional() })
  .openapi('User')

const UserWithKey = User.extend({
  api_key: z.string().describe('Shown only in this answer. Keep it safe.'),
}).openapi('UserWithKey')

const params = userParams
const profile = { name: 'Alice Liddell', email: 'alice@example.org' }
const alice = { user_handle: 'alice', ...profile }
const aliceWithKey = {
  ...alice,
  api_key: 'smb_00000000000000000000000000000000000000000006tu5Xg',
}
const system = { 403: 'The caller may not do this, or the user is _system' }

const listUsers = get(admin('users:list'), '/v1/users', {
  operationId: 'listUsers',
  summary: 'List the handles of all users',
  description: 'For the administrator.',
  responses: {
    200: json(z.object({ users: z.array(z.string()) }), 'The handles, in byte order', {
      users: ['alice', 'bob'],
    }),
  },
})

const createUser = post(admin('users:write'), '/v1/users', {
  operationId: 'createUser',
  summary: 'Register a user',
  description: 'For the administrator. The answer contains the API key, which is not shown again.',
  request: { body: body(Profile.extend({ user_handle: NewUserHandle }), alice) },
  responses: { 201: createdJson(UserWithKey, 'The user was registered', aliceWithKey) },
  errors: { 409: ['The handle is taken', "User 'alice' already exists"] },
})

const getUser = get(inNamespace('user:read'), '/v1/users/{user}', {
  operationId: 'getUser',
  summary: 'Show a user',
  description: 'For that user and the administrator. The API key is not shown.',
  request: { params },
  responses: { 200: json(User, 'The user', alice) },
})

const putUser = put(admin('users:write'), '/v1/users/{user}', {
  operationId: 'putUser',
  summary: "Register a user, or replace a user's name and e-mail",
  description:
    'For the administrator. Idempotent: an existing user keeps the API key, which is in the answer.',
  request: { params, body: body(ProfileOfUser, profile) },
  responses: {
    200: json(UserWithKey, 'The user was changed', aliceWithKey),
    201: createdJson(UserWithKey, 'The user was registered', aliceWithKey),
  },
  errors: system,
})

const patchUser = patch(inNamespace('user:change'), '/v1/users/{user}', {
  operationId: 'patchUser',
  summary: "Change a user's name or e-mail",
  description: 'For that user and the administrator.',
  request: { params, body: body(ProfileOfUser, { name: alice.name }) },
  responses: { 200: json(User, 'The changed user', alice) },
  errors: system,
})

const deleteUser = remove(inNamespace('user:change'), '/v1/users/{user}', {
  operationId: 'deleteUser',
  summary: 'Delete a user',
  description:
    "Also deletes the user's projects, instances, definitions, embeddings and shares. Other users' projects that used a deleted instance stay, without an instance.",
  request: { params },
  responses: { 200: messageJson('The user was deleted', "User 'alice' deleted") },
  errors: system,
})

const rotateKey = post(inNamespace('user:change'), '/v1/users/{user}/rotate-key', {
  operationId: 'rotateUserKey',
  summary: 'Issue a new API key',
  description: 'The old key stops working at once.',
  request: { params },
  responses: { 200: json(UserWithKey, 'The user with the new key', aliceWithKey) },
  errors: system,
})

export function userRoutes(users: ReturnType<typeof createUsers>) {
  const router = createRouter()
  router.openapi(listUsers, async (c) => c.json({ users: await users.list() }, 200))
  router.openapi(createUser, async (c) => {
    const { user_handle, ...profile } = c.req.valid('json')
    const user = await users.create(user_handle, profile)
    return c.json(user, createdAt(c, 'users', user_handle))
  })
  router.openapi(getUser, async (c) => c.json(await users.get(c.get('granted').owner.handle), 200))
  router.openapi(putUser, async (c) => {
    const { user_handle, ...profile } = c.req.valid('json')
    const handle = sameHandle('user_handle', c.req.valid('param').user, user_handle)
    const { user, created } = await users.put(handle, profile)
    return c.json(user, created ? createdAt(c, 'users', handle) : 200)
  })
  router.openapi(patchUser, async (c) => {
    const { user_handle, ...profile } = c.req.valid('json')
    const handle = sameHandle('user_handle', c.req.valid('param').user, user_handle)
    return c.json(await users.patch(handle, profile), 200)
  })
  router.openapi(deleteUser, async (c) => {
    const { handle } = c.get('granted').owner
    await users.remove(handle)
    return c.json({ message: `User '${handle}' deleted` }, 200)
  })
  router.openapi(rotateKey, async (c) =>
    c.json(await users.rotateKey(c.get('granted').owner.handle), 200),
  )
  return router
}
