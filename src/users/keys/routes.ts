import { createdAt, createdJson } from '../../http/created.ts'
import { createRouter, get, patch, post, remove } from '../../http/operation.ts'
import { keyParams, sameHandle, userParams } from '../../http/path-params.ts'
import { inNamespace } from '../../http/permission.ts'
import { body, json, messageJson } from '../../http/schemas.ts'
import type { createUserKeys } from './keys.ts'
import {
  exampleIssuedKey,
  exampleNewKey,
  exampleUsedKey,
  IssuedKey,
  Key,
  KeyPatch,
  Keys,
  NewKey,
} from './schemas.ts'

const who = "For that user, with the user's first key, and for the administrator."
const forbidden = {
  403: "The account belongs to another user, or the key is not the user's first one",
}
const errorsOfKey = {
  ...forbidden,
  404: ['There is no such user or key', "Key 'alice/notebook' not found"],
} as const

const listKeys = get(inNamespace('keys:manage'), '/v1/users/{user}/keys', {
  operationId: 'listNamedKeys',
  summary: 'List the named keys of a user',
  description: `${who} With their rights and last use, but not the keys themselves, and without the first key.`,
  request: { params: userParams },
  responses: { 200: json(Keys, 'The keys', { keys: [exampleUsedKey] }) },
  errors: forbidden,
})

const createKey = post(inNamespace('keys:manage'), '/v1/users/{user}/keys', {
  operationId: 'createNamedKey',
  summary: 'Issue another key',
  description: `${who} It has all rights of its user or fewer, and can never manage keys or the account. The answer contains the key, which is not shown again.`,
  request: { params: userParams, body: body(NewKey, exampleNewKey) },
  responses: { 201: createdJson(IssuedKey, 'The key was issued', exampleIssuedKey) },
  errors: {
    ...forbidden,
    400: "projects: there is no project 'alice/missing' that 'alice' may read",
    409: [
      'The handle is taken, or the user has too many keys',
      "Key 'alice/notebook' already exists",
    ],
  },
})

const getKey = get(inNamespace('keys:manage'), '/v1/users/{user}/keys/{key_handle}', {
  operationId: 'getNamedKey',
  summary: 'Show the rights of a named key',
  description: `${who} The key itself is not shown.`,
  request: { params: keyParams },
  responses: { 200: json(Key, 'The key', exampleUsedKey) },
  errors: errorsOfKey,
})

const patchKey = patch(inNamespace('keys:manage'), '/v1/users/{user}/keys/{key_handle}', {
  operationId: 'patchNamedKey',
  summary: 'Change the description or expiry of a named key',
  description: `${who} access and projects cannot be changed: create another key for other rights. An expired key works again if it gets a later expiry.`,
  request: { params: keyParams, body: body(KeyPatch, { expires_at: exampleNewKey.expires_at }) },
  responses: { 200: json(Key, 'The changed key', exampleUsedKey) },
  errors: {
    ...errorsOfKey,
    400: 'access: cannot be changed; create another key and revoke this one',
  },
})

const rotateKey = post(inNamespace('keys:manage'), '/v1/users/{user}/keys/{key_handle}/rotate', {
  operationId: 'rotateNamedKey',
  summary: 'Replace a named key by a new one',
  description: `${who} It has the same rights and expiry. The old key stops working at once. The answer contains the new key, which is not shown again.`,
  request: { params: keyParams },
  responses: { 200: json(IssuedKey, 'The new key', exampleIssuedKey) },
  errors: errorsOfKey,
})

const deleteKey = remove(inNamespace('keys:manage'), '/v1/users/{user}/keys/{key_handle}', {
  operationId: 'deleteNamedKey',
  summary: 'Revoke a named key',
  description: `${who} The key stops working at once.`,
  request: { params: keyParams },
  responses: { 200: messageJson('The key was revoked', "Key 'alice/notebook' revoked") },
  errors: errorsOfKey,
})

const timeOf = (text: string | null | undefined) => (text == null ? text : new Date(text))

export function userKeyRoutes(keys: ReturnType<typeof createUserKeys>) {
  const router = createRouter()
  router.openapi(listKeys, async (c) =>
    c.json({ keys: await keys.list(c.get('granted').owner) }, 200),
  )
  router.openapi(createKey, async (c) => {
    const { key_handle: handle, expires_at, ...input } = c.req.valid('json')
    const { owner } = c.get('granted')
    const key = await keys.create(owner, handle, { ...input, expiresAt: timeOf(expires_at) })
    return c.json(key, createdAt(c, 'users', owner.handle, 'keys', handle))
  })
  router.openapi(getKey, async (c) =>
    c.json(await keys.get(c.get('granted').owner, c.req.valid('param').key_handle), 200),
  )
  router.openapi(patchKey, async (c) => {
    const { key_handle, expires_at, ...changes } = c.req.valid('json')
    const handle = sameHandle('key_handle', c.req.valid('param').key_handle, key_handle)
    const { owner } = c.get('granted')
    return c.json(
      await keys.patch(owner, handle, { ...changes, expiresAt: timeOf(expires_at) }),
      200,
    )
  })
  router.openapi(rotateKey, async (c) =>
    c.json(await keys.rotate(c.get('granted').owner, c.req.valid('param').key_handle), 200),
  )
  router.openapi(deleteKey, async (c) => {
    const { owner } = c.get('granted')
    const { key_handle: handle } = c.req.valid('param')
    await keys.remove(owner, handle)
    return c.json({ message: `Key '${owner.handle}/${handle}' revoked` }, 200)
  })
  return router
}
