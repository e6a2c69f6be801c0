import { z } from '@hono/zod-openapi'
import { requestFormats } from '../db/text-query-columns.ts'
import { createdAt, createdJson, putJson } from '../http/created.ts'
import { createRouter, get, patch, post, put, remove } from '../http/operation.ts'
import { newStandardParams, sameHandle, standardParams } from '../http/path-params.ts'
import { admin, anyone } from '../http/permission.ts'
import {
  body,
  Description,
  Handle,
  json,
  messageJson,
  NewHandle,
  oneOf,
  text,
} from '../http/schemas.ts'
import type { createApiStandards } from './api-standards.ts'

const RequestFormat = oneOf(requestFormats).describe(
  'The request format in which texts are sent to be embedded. Default: openai, which Ollama, Text Embeddings Inference, vLLM and LM Studio understand too.',
)

const Standard = z
  .object({
    api_standard_handle: Handle,
    description: Description,
    key_method: oneOf(['auth_bearer', 'auth_apikey', 'query_param', 'none']).describe(
      'How the key is presented to the provider.',
    ),
    key_field: text(255).describe(
      "Header or query parameter that carries the key; '' for key_method none.",
    ),
    request_format: RequestFormat.optional(),
  })
  .openapi('ApiStandard')

const StandardInput = Standard.extend({ request_format: RequestFormat.nullish() })
const NewStandard = z.object({ ...StandardInput.shape, api_standard_handle: NewHandle })
const PutStandard = StandardInput.partial({ api_standard_handle: true })
const PatchStandard = StandardInput.partial()
const params = standardParams
const exampleFields = {
  description: 'The key in a header of its own',
  key_method: 'auth_apikey' as const,
  key_field: 'X-API-Key',
  request_format: 'openai' as const,
}
const example = { api_standard_handle: 'my-provider', ...exampleFields }
const missing = {
  404: ['There is no such API standard', "API standard 'my-provider' not found"],
} as const
const listStandards = get(anyone, '/v1/api-standards', {
  operationId: 'listApiStandards',
  summary: 'List all API standards',
  description: 'API standards describe how keys are presented to embedding providers.',
  responses: {
    200: json(z.object({ standards: z.array(Standard) }), 'The standards, by handle', {
      standards: [example],
    }),
  },
})

const getStandard = get(anyone, '/v1/api-standards/{standard}', {
  operationId: 'getApiStandard',
  summary: 'Show an API standard',
  description: 'It says how a key is presented to an embedding provider.',
  request: { params },
  responses: { 200: json(Standard, 'The standard', example) },
  errors: missing,
})

const createStandard = post(admin('standards:write'), '/v1/api-standards', {
  operationId: 'createApiStandard',
  summary: 'Create an API standard',
  description: 'For the administrator. Definitions and instances refer to it by its handle.',
  request: { body: body(NewStandard, example) },
  responses: { 201: createdJson(Standard, 'The created standard', example) },
  errors: { 409: ['The handle is taken', "API standard 'my-provider' already exists"] },
})

const putStandard = put(admin('standards:write'), '/v1/api-standards/{standard}', {
  operationId: 'putApiStandard',
  summary: 'Create or replace an API standard',
  description: 'For the administrator. Replaces all fields.',
  request: { params: newStandardParams, body: body(PutStandard, exampleFields) },
  responses: putJson(Standard, 'standard', example),
})

const patchStandard = patch(admin('standards:write'), '/v1/api-standards/{standard}', {
  operationId: 'patchApiStandard',
  summary: 'Change an API standard',
  description: 'For the administrator. Omitted fields stay unchanged.',
  request: { params, body: body(PatchStandard, { description: 'A better description' }) },
  responses: { 200: json(Standard, 'The changed standard', example) },
  errors: missing,
})

const deleteStandard = remove(admin('standards:write'), '/v1/api-standards/{standard}', {
  operationId: 'deleteApiStandard',
  summary: 'Delete an API standard',
  description: 'For the administrator. Fails while instances or definitions use the standard.',
  request: { params },
  responses: { 200: messageJson('The standard was deleted', "API standard 'my-provider' deleted") },
  errors: {
    ...missing,
    409: [
      'Instances or definitions use the standard',
      'Cannot delete API standard: referenced by 1 LLM service instances and 2 definitions',
    ],
  },
})

const columnsOf = (input: z.output<typeof PutStandard>) => ({
  description: input.description,
  keyMethod: input.key_method,
  keyField: input.key_field,
  requestFormat: input.request_format ?? null,
})

const changesOf = (input: z.output<typeof PatchStandard>) => ({
  description: input.description,
  keyMethod: input.key_method,
  keyField: input.key_field,
  requestFormat: input.request_format,
})

export function apiStandardRoutes(standards: ReturnType<typeof createApiStandards>) {
  const router = createRouter()
  router.openapi(listStandards, async (c) => c.json({ standards: await standards.list() }, 200))
  router.openapi(getStandard, async (c) =>
    c.json(await standards.get(c.req.valid('param').standard), 200),
  )
  router.openapi(createStandard, async (c) => {
    const input = c.req.valid('json')
    const standard = await standards.create(input.api_standard_handle, columnsOf(input))
    return c.json(standard, createdAt(c, 'api-standards', standard.api_standard_handle))
  })
  router.openapi(putStandard, async (c) => {
    const input = c.req.valid('json')
    const inPath = c.req.valid('param').standard
    const handle = sameHandle('api_standard_handle', inPath, input.api_standard_handle)
    const { standard, created } = await standards.put(handle, columnsOf(input))
    return c.json(standard, created ? createdAt(c, 'api-standards', handle) : 200)
  })
  router.openapi(patchStandard, async (c) => {
    const input = c.req.valid('json')
    const inPath = c.req.valid('param').standard
    const handle = sameHandle('api_standard_handle', inPath, input.api_standard_handle)
    return c.json(await standards.patch(handle, changesOf(input)), 200)
  })
  router.openapi(deleteStandard, async (c) => {
    const { standard } = c.req.valid('param')
    await standards.remove(standard)
    return c.json({ message: `API standard '${standard}' deleted` }, 200)
  })
  return router
}
