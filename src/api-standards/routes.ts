import { z } from '@hono/zod-openapi'
import { createRouter, operation } from '../http/operation.ts'
import { newStandardParams, standardParams } from '../http/path-params.ts'
import { admin, anyone } from '../http/permission.ts'
import { sameHandle } from '../http/same-handle.ts'
import { body, Description, Handle, json, Message, NewHandle, text } from '../http/schemas.ts'
import type { createApiStandards } from './api-standards.ts'

const Standard = z
  .object({
    api_standard_handle: Handle,
    description: Description,
    key_method: z
      .enum(['auth_bearer', 'auth_apikey', 'query_param', 'none'])
      .openapi({ description: 'How the key is presented to the provider.' }),
    key_field: text(255).openapi({
      description: "Header or query parameter that carries the key; '' for key_method none.",
    }),
  })
  .openapi('ApiStandard')

const NewStandard = Standard.extend({ api_standard_handle: NewHandle })
const PutStandard = Standard.partial({ api_standard_handle: true })
const params = standardParams
const tags = ['API standards']
const example = {
  api_standard_handle: 'provider-a',
  description: 'Bearer token in a header. Documentation: https://provider-a.example/docs',
  key_method: 'auth_bearer' as const,
  key_field: 'Authorization',
}
const missing = { 404: 'There is no such API standard' }
const adminOnly = { 403: 'Only the administrator may change API standards' }

const listStandards = operation(anyone, {
  method: 'get',
  path: '/v1/api-standards',
  operationId: 'listApiStandards',
  summary: 'List all API standards',
  tags,
  responses: {
    200: json(z.object({ standards: z.array(Standard) }), 'The standards, by handle', {
      standards: [example],
    }),
  },
})

const getStandard = operation(
  anyone,
  {
    method: 'get',
    path: '/v1/api-standards/{standard}',
    operationId: 'getApiStandard',
    summary: 'Show an API standard',
    tags,
    request: { params },
    responses: { 200: json(Standard, 'The standard', example) },
  },
  missing,
)

const createStandard = operation(
  admin('standards:write'),
  {
    method: 'post',
    path: '/v1/api-standards',
    operationId: 'createApiStandard',
    summary: 'Create an API standard',
    tags,
    request: { body: body(NewStandard, example) },
    responses: { 201: json(Standard, 'The created standard', example) },
  },
  { ...adminOnly, 409: 'The handle is taken' },
)

const putStandard = operation(
  admin('standards:write'),
  {
    method: 'put',
    path: '/v1/api-standards/{standard}',
    operationId: 'putApiStandard',
    summary: 'Create or replace an API standard',
    tags,
    request: { params: newStandardParams, body: body(PutStandard, example) },
    responses: {
      200: json(Standard, 'The replaced standard', example),
      201: json(Standard, 'The created standard', example),
    },
  },
  adminOnly,
)

const patchStandard = operation(
  admin('standards:write'),
  {
    method: 'patch',
    path: '/v1/api-standards/{standard}',
    operationId: 'patchApiStandard',
    summary: 'Change an API standard',
    tags,
    request: { params, body: body(Standard.partial(), { description: 'A better description' }) },
    responses: { 200: json(Standard, 'The changed standard', example) },
  },
  { ...adminOnly, ...missing },
)

const deleteStandard = operation(
  admin('standards:write'),
  {
    method: 'delete',
    path: '/v1/api-standards/{standard}',
    operationId: 'deleteApiStandard',
    summary: 'Delete an API standard',
    tags,
    request: { params },
    responses: {
      200: json(Message, 'The standard is gone', { message: "API standard 'x' deleted" }),
    },
  },
  { ...adminOnly, ...missing, 409: 'Instances or definitions refer to it' },
)

type Columns = z.output<typeof PutStandard>
const toColumns = ({ description, key_method, key_field }: Columns) => ({
  description,
  keyMethod: key_method,
  keyField: key_field,
})

export function apiStandardRoutes(standards: ReturnType<typeof createApiStandards>) {
  const router = createRouter()
  router.openapi(listStandards, async (c) => c.json({ standards: await standards.list() }, 200))
  router.openapi(getStandard, async (c) =>
    c.json(await standards.get(c.req.valid('param').standard), 200),
  )
  router.openapi(createStandard, async (c) => {
    const input = c.req.valid('json')
    return c.json(await standards.create(input.api_standard_handle, toColumns(input)), 201)
  })
  router.openapi(putStandard, async (c) => {
    const input = c.req.valid('json')
    const inPath = c.req.valid('param').standard
    const handle = sameHandle('api_standard_handle', inPath, input.api_standard_handle)
    const { standard, created } = await standards.put(handle, toColumns(input))
    return c.json(standard, created ? 201 : 200)
  })
  router.openapi(patchStandard, async (c) => {
    const { api_standard_handle, description, key_method, key_field } = c.req.valid('json')
    const { standard } = c.req.valid('param')
    const handle = sameHandle('api_standard_handle', standard, api_standard_handle)
    const changes = {
      ...(description !== undefined && { description }),
      ...(key_method !== undefined && { keyMethod: key_method }),
      ...(key_field !== undefined && { keyField: key_field }),
    }
    return c.json(await standards.patch(handle, changes), 200)
  })
  router.openapi(deleteStandard, async (c) => {
    const { standard } = c.req.valid('param')
    await standards.remove(standard)
    return c.json({ message: `API standard '${standard}' deleted` }, 200)
  })
  return router
}
