import { z } from '@hono/zod-openapi'
import { changedMeanwhile } from '../errors.ts'
import { createdAt, createdJson, putJson } from '../http/created.ts'
import { createRouter, get, patch, post, put, remove } from '../http/operation.ts'
import {
  definitionParams,
  newDefinitionParams,
  sameHandle,
  userParams,
} from '../http/path-params.ts'
import { inNamespace } from '../http/permission.ts'
import { body, json, messageJson } from '../http/schemas.ts'
import type { createDefinitions } from './definitions.ts'
import {
  changesOf,
  Definition,
  exampleDefinition,
  exampleLlmService,
  exampleNewDefinition,
  llmServiceOf,
  NewDefinition,
  PutDefinition,
} from './schemas.ts'

const params = definitionParams
const one = '/v1/llm-definitions/{user}/{definition}'
const forbidden = { 403: "Another user's definitions, or _system's without the administrator key" }
const errorsOfOne = {
  ...forbidden,
  404: ['There is no such definition or user', "LLM service definition 'alice/my-model' not found"],
} as const
const meanwhile = {
  409: ['A concurrent request changed the same resource', changedMeanwhile().message],
} as const

const listDefinitions = get(inNamespace('definitions:read'), '/v1/llm-definitions/{user}', {
  operationId: 'listDefinitions',
  summary: 'List the definitions of a user, or of _system',
  description:
    'For that user and the administrator. Anyone with a key may list the definitions of _system.',
  request: { params: userParams },
  responses: {
    200: json(z.object({ definitions: z.array(Definition) }), 'The definitions, by handle', {
      definitions: [exampleDefinition],
    }),
  },
  errors: forbidden,
})

const createDefinition = post(inNamespace('definitions:write'), '/v1/llm-definitions/{user}', {
  operationId: 'createDefinition',
  summary: 'Create a definition',
  description: 'Only the administrator may create definitions of _system.',
  request: { params: userParams, body: body(NewDefinition, exampleNewDefinition) },
  responses: { 201: createdJson(Definition, 'The created definition', exampleDefinition) },
  errors: {
    ...forbidden,
    409: ['The handle is taken', "LLM service definition 'alice/my-model' already exists"],
  },
})

const getDefinition = get(inNamespace('definitions:read'), one, {
  operationId: 'getDefinition',
  summary: 'Show a definition',
  description:
    'For the owner and the administrator. Anyone with a key may show a definition of _system.',
  request: { params },
  responses: { 200: json(Definition, 'The definition', exampleDefinition) },
  errors: errorsOfOne,
})

const putDefinition = put(inNamespace('definitions:write'), one, {
  operationId: 'putDefinition',
  summary: 'Create or replace a definition',
  description: 'Replaces all fields. Instances that were created from it keep their fields.',
  request: { params: newDefinitionParams, body: body(PutDefinition, exampleLlmService) },
  responses: putJson(Definition, 'definition', exampleDefinition),
  errors: { ...forbidden, ...meanwhile },
})

const patchDefinition = patch(inNamespace('definitions:write'), one, {
  operationId: 'patchDefinition',
  summary: 'Change a definition',
  description: 'Instances that were created from it keep their fields.',
  request: { params, body: body(PutDefinition.partial(), { description: 'For short texts' }) },
  responses: { 200: json(Definition, 'The changed definition', exampleDefinition) },
  errors: { ...errorsOfOne, ...meanwhile },
})

const deleteDefinition = remove(inNamespace('definitions:write'), one, {
  operationId: 'deleteDefinition',
  summary: 'Delete a definition',
  description: 'Instances that were created from it keep their fields.',
  request: { params },
  responses: {
    200: messageJson(
      'The definition was deleted',
      "LLM service definition 'alice/my-model' deleted",
    ),
  },
  errors: errorsOfOne,
})

export function definitionRoutes(definitions: ReturnType<typeof createDefinitions>) {
  const router = createRouter()
  router.openapi(listDefinitions, async (c) =>
    c.json({ definitions: await definitions.list(c.get('granted').owner) }, 200),
  )
  router.openapi(createDefinition, async (c) => {
    const { definition_handle, ...fields } = c.req.valid('json')
    const { owner } = c.get('granted')
    const definition = await definitions.create(owner, definition_handle, llmServiceOf(fields))
    return c.json(definition, createdAt(c, 'llm-definitions', owner.handle, definition_handle))
  })
  router.openapi(getDefinition, async (c) => {
    const { definition } = c.req.valid('param')
    return c.json(await definitions.get(c.get('granted').owner, definition), 200)
  })
  router.openapi(putDefinition, async (c) => {
    const { definition_handle, ...fields } = c.req.valid('json')
    const path = c.req.valid('param')
    const handle = sameHandle('definition_handle', path.definition, definition_handle)
    const { owner } = c.get('granted')
    const { definition, created } = await definitions.put(owner, handle, llmServiceOf(fields))
    const status = created ? createdAt(c, 'llm-definitions', owner.handle, handle) : 200
    return c.json(definition, status)
  })
  router.openapi(patchDefinition, async (c) => {
    const { definition_handle, ...fields } = c.req.valid('json')
    const path = c.req.valid('param')
    const handle = sameHandle('definition_handle', path.definition, definition_handle)
    return c.json(await definitions.patch(c.get('granted').owner, handle, changesOf(fields)), 200)
  })
  router.openapi(deleteDefinition, async (c) => {
    const { definition } = c.req.valid('param')
    const { owner } = c.get('granted')
    await definitions.remove(owner, definition)
    const message = `LLM service definition '${owner.handle}/${definition}' deleted`
    return c.json({ message }, 200)
  })
  return router
}
