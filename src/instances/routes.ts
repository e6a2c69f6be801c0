import { z } from '@hono/zod-openapi'
import type { Instance } from '../access/access.ts'
import { systemHandle } from '../access/caller.ts'
import type { Requester } from '../concurrency/limiter.ts'
import type { createDefinitions } from '../definitions/definitions.ts'
import { changesOf, Definition } from '../definitions/schemas.ts'
import { badRequest } from '../errors.ts'
import { createdAt, putJson } from '../http/created.ts'
import { createRouter, get, patch, post, put, remove } from '../http/operation.ts'
import { instanceParams, newInstanceParams, sameHandle, userParams } from '../http/path-params.ts'
import { inNamespace, onInstance } from '../http/permission.ts'
import { requesterOf } from '../http/requester.ts'
import { body, flag, json, messageJson } from '../http/schemas.ts'
import { providerErrors } from '../http/text-vectors.ts'
import type { createInstances } from './instances.ts'
import {
  exampleInput,
  exampleInstance,
  InstanceSchema,
  PatchInstance,
  PutInstance,
} from './schemas.ts'

const params = instanceParams
const query = z.object({
  force: flag('force', 'Change model or endpoint although embeddings made with them are stored.'),
})
const inUse = {
  409: [
    'Embeddings made with the instance are stored',
    'Cannot change dimensions from 3 to 1536: embeddings made with this instance are stored',
  ],
} as const

const listInstances = get(inNamespace('instances:list'), '/v1/llm-services/{user}', {
  operationId: 'listInstances',
  summary: 'List the instances that a user owns or has a share of',
  description: 'For _system: no instances, but the global definitions.',
  request: { params: userParams },
  responses: {
    200: json(
      z.object({
        instances: z.array(InstanceSchema),
        definitions: z.array(Definition).optional(),
      }),
      'The instances, by owner and handle',
      { instances: [exampleInstance] },
    ),
  },
})

const putInstance = put(inNamespace('instances:write'), '/v1/llm-services/{user}/{instance}', {
  operationId: 'putInstance',
  summary: 'Create or replace an instance',
  description: `Needs endpoint, api_standard, model and dimensions, or definition_owner and definition_handle. Explicit fields override those of the definition.

- A stored provider key stays unless a new one is sent, or endpoint or api_standard change, so it is never sent anywhere else.
- The service contacts a provider only for searches by meaning, uploads with \`embed=true\` and tests, and only if its operator allows the host.`,
  request: { params: newInstanceParams, query, body: body(PutInstance, exampleInput) },
  responses: putJson(InstanceSchema, 'instance', exampleInstance),
  errors: {
    403: 'The namespace belongs to another user, or the caller may not use the definition',
    ...inUse,
  },
})

const getInstance = get(onInstance('instance:read'), '/v1/llm-services/{user}/{instance}', {
  operationId: 'getInstance',
  summary: 'Show an instance',
  description:
    'For the owner, the administrator and users it is shared with. The provider key is never shown.',
  request: { params },
  responses: { 200: json(InstanceSchema, 'The instance', exampleInstance) },
})

const patchInstance = patch(onInstance('instance:manage'), '/v1/llm-services/{user}/{instance}', {
  operationId: 'patchInstance',
  summary: 'Change an instance',
  description:
    'Omitted fields stay unchanged; null clears an optional one. Changing endpoint or api_standard drops the stored provider key, unless a new one is sent too.',
  request: { params, query, body: body(PatchInstance, { description: 'For the short texts' }) },
  responses: { 200: json(InstanceSchema, 'The changed instance', exampleInstance) },
  errors: inUse,
})

const deleteInstance = remove(onInstance('instance:manage'), '/v1/llm-services/{user}/{instance}', {
  operationId: 'deleteInstance',
  summary: 'Delete an instance',
  description: 'Fails while projects use the instance. Its shares are deleted with it.',
  request: { params },
  responses: {
    200: messageJson('The instance was deleted', "LLM service instance 'alice/my-model' deleted"),
  },
  errors: {
    409: [
      'Projects use the instance',
      "Cannot delete LLM service instance 'alice/my-model': in use by 2 projects",
    ],
  },
})

const testInstance = post(
  onInstance('instance:manage'),
  '/v1/llm-services/{user}/{instance}/test',
  {
    operationId: 'testInstance',
    summary: 'Embed one word with an instance',
    description: `Sends one word to the endpoint, with the stored key, and says how many dimensions the vector has when no number is requested. For whoever may change the instance.

- The instance's own dimensions may differ: correct them with PATCH, or keep them if the model can make vectors of several lengths.
- The provider may charge for the word.
- 503: it failed five times in a row.`,
    request: { params },
    responses: {
      200: json(
        z.object({ dimensions: z.int().describe("Those of the provider's vector.") }),
        'The provider has answered with a vector',
        { dimensions: 1536 },
      ),
    },
    errors: {
      403: "Another user's instance, or its host is not in SERVICE_EMBEDDINGHOSTS",
      ...providerErrors,
    },
  },
)

function referenceOf({ definition_owner, definition_handle }: z.output<typeof PutInstance>) {
  if (definition_owner === undefined && definition_handle === undefined) return undefined
  if (definition_owner === undefined || definition_handle === undefined) {
    throw badRequest('definition_owner and definition_handle must be given together')
  }
  return { owner: definition_owner, handle: definition_handle }
}

const inputOf = ({ api_key_encrypted: providerKey, ...fields }: z.output<typeof PutInstance>) => ({
  fields: changesOf(fields),
  providerKey,
  definition: referenceOf(fields),
})

export function instanceRoutes(
  instances: ReturnType<typeof createInstances>,
  definitions: ReturnType<typeof createDefinitions>,
  test: (instance: Instance, requester: Requester) => Promise<number>,
) {
  const router = createRouter()
  router.openapi(listInstances, async (c) => {
    const { owner } = c.get('granted')
    if (owner.handle === systemHandle) {
      return c.json({ instances: [], definitions: await definitions.list(owner) }, 200)
    }
    return c.json({ instances: await instances.list(owner) }, 200)
  })
  router.openapi(putInstance, async (c) => {
    const { instance_handle, ...input } = c.req.valid('json')
    const { force = false } = c.req.valid('query')
    const path = c.req.valid('param')
    const handle = sameHandle('instance_handle', path.instance, instance_handle)
    const { caller, owner } = c.get('granted')
    const { instance, created } = await instances.put(caller, owner, handle, inputOf(input), force)
    return c.json(instance, created ? createdAt(c, 'llm-services', owner.handle, handle) : 200)
  })
  router.openapi(getInstance, (c) => c.json(instances.get(c.get('granted').instance), 200))
  router.openapi(patchInstance, async (c) => {
    const { instance_handle, api_key_encrypted, ...fields } = c.req.valid('json')
    const { instance } = c.get('granted')
    sameHandle('instance_handle', instance.handle, instance_handle)
    const { force = false } = c.req.valid('query')
    return c.json(await instances.patch(instance, changesOf(fields), api_key_encrypted, force), 200)
  })
  router.openapi(deleteInstance, async (c) => {
    const { instance } = c.get('granted')
    await instances.remove(instance)
    const message = `LLM service instance '${instance.owner}/${instance.handle}' deleted`
    return c.json({ message }, 200)
  })
  router.openapi(testInstance, async (c) => {
    const { caller, instance } = c.get('granted')
    const dimensions = await test(instance, requesterOf(c.req, instance.owner, caller))
    return c.json({ dimensions }, 200)
  })
  return router
}
