import { z } from '@hono/zod-openapi'
import { TextId, Vector } from '../embeddings/schemas.ts'
import { textIdsIn } from '../embeddings/text-ids.ts'
import { anyone, createRouter, onProject, operation } from '../http/operation.ts'
import { body, flag, Handle, json, offset, pageOf, pageSize, UserHandle } from '../http/schemas.ts'
import { parseMetadataPath } from './metadata-path.ts'
import type { createSearch, Result, SearchOptions } from './search.ts'

const params = z.object({ username: UserHandle, projectname: Handle })
const tags = ['Similarity search']
const missing = { 404: 'There is no such project or embedding' }
const stranger = { 403: "Another user's project" }

const thresholdMessage = 'threshold must be between 0.0 and 1.0'
const Threshold = z
  .string({ error: thresholdMessage })
  .regex(/^(\d{1,20}(\.\d{0,30})?|\.\d{1,30})(e-\d{1,2})?$/i, thresholdMessage)
  .transform(Number)
  .refine((value) => value <= 1, thresholdMessage)
  .optional()
  .openapi({
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.5,
    description: 'Only results with at least this similarity are returned.',
  })

const parameter = (name: string) =>
  z
    .string({ error: `${name} must be given once` })
    .max(1_000, `${name} is too long`)
    .optional()

const options = {
  count: pageSize('count'),
  limit: pageSize('limit').openapi({
    description: 'Same as count; when both are given the smaller counts.',
  }),
  offset,
  threshold: Threshold,
  metadata_path: parameter('metadata_path').openapi({
    description:
      'Field of the metadata, in dot notation for nested ones (a backslash escapes a dot). Documents whose field equals metadata_value are left out.',
    example: 'ref.book',
  }),
  metadata_value: parameter('metadata_value').openapi({
    description:
      'Compared as text with the scalar at metadata_path, or with each element of an array there.',
    example: 'Matthew',
  }),
  exact: flag('exact', 'Force an exact search; see the header X-Search-Mode of the answer.'),
}
const includeSelf = flag('include_self', 'Also return the document that is searched for.')

type OptionValues = { [Name in keyof typeof options]?: z.output<(typeof options)[Name]> }

const bothOrNeither = <Query extends OptionValues>(
  query: Query,
  context: z.RefinementCtx<Query>,
) => {
  const { metadata_path: path, metadata_value: value } = query
  if ((path === undefined) === (value === undefined)) return
  const [given, wanted] =
    path === undefined ? ['metadata_value', 'metadata_path'] : ['metadata_path', 'metadata_value']
  context.addIssue({
    code: 'custom',
    message: `${given} requires ${wanted} to be specified`,
  })
}

const SearchAnswer = z
  .object({
    $schema: z.url().openapi({ description: 'Where the JSON Schema of this answer is.' }),
    user_handle: UserHandle.openapi({ description: "The project's owner." }),
    project_handle: z.string(),
    results: z.array(
      z.object({
        id: z.string().openapi({ description: 'The text_id.' }),
        similarity: z.number().min(0).max(1).openapi({ description: 'Cosine similarity.' }),
      }),
    ),
  })
  .openapi('SimilarityResponse')

const example = {
  $schema: 'http://localhost:8880/v1/schemas/similarity-response.json',
  user_handle: 'alice',
  project_handle: 'verses',
  results: [{ id: 'mark-1-11', similarity: 0.9003 }],
}

const answers = {
  200: {
    ...json(SearchAnswer, 'The most similar first; equal ones by text_id', example),
    headers: {
      'X-Search-Mode': {
        description: 'How the results were found.',
        schema: { type: 'string' as const, enum: ['exact', 'approximate'] },
      },
    },
  },
}

const description =
  'Results are ranked by cosine similarity; opposite directions count as 0. A filter, a threshold or an offset never makes a page shorter than the data allow. Needs no key when public_read is true.'

const searchByPath = operation(
  onProject('project:read'),
  {
    method: 'get',
    path: '/v1/similars/{username}/{projectname}/{identifier}',
    operationId: 'searchByTextId',
    summary: 'Find the embeddings similar to a stored one',
    description,
    tags,
    request: {
      params: params.extend({ identifier: TextId }),
      query: z.object({ ...options, include_self: includeSelf }).superRefine(bothOrNeither),
    },
    responses: answers,
  },
  { ...stranger, ...missing },
)

const searchByQuery = operation(
  onProject('project:read'),
  {
    method: 'get',
    path: '/v1/similars/{username}/{projectname}',
    operationId: 'searchByTextIdParameter',
    summary: 'Find the embeddings similar to a stored one, named in the query',
    description: `For text_ids that proxies break in a path. ${description}`,
    tags,
    request: {
      params,
      query: z
        .object({
          text_id: z.string({ error: 'text_id is required' }).pipe(TextId),
          ...options,
          include_self: includeSelf,
        })
        .superRefine(bothOrNeither),
    },
    responses: answers,
  },
  { ...stranger, ...missing },
)

const searchByVector = operation(
  onProject('project:read'),
  {
    method: 'post',
    path: '/v1/similars/{username}/{projectname}',
    operationId: 'searchByVector',
    summary: 'Find the embeddings similar to a vector',
    description: `The vector is not stored. ${description}`,
    tags,
    request: {
      params,
      query: z.object(options).superRefine(bothOrNeither),
      body: body(z.object({ vector: Vector }), { vector: [0.25, -0.5, 0.75] }),
    },
    responses: answers,
  },
  { ...stranger, ...missing },
)

const schemaPath = '/v1/schemas/similarity-response.json'
const getSchema = operation(anyone, {
  method: 'get',
  path: schemaPath,
  operationId: 'getSimilarityResponseSchema',
  summary: 'The JSON Schema of a similarity response',
  tags,
  responses: {
    200: {
      description: 'A JSON Schema (2020-12)',
      content: {
        'application/schema+json': {
          schema: z.object({}).openapi({ type: 'object', additionalProperties: true }),
        },
      },
    },
  },
})

function searchOptions(query: OptionValues): SearchOptions {
  const { count, limit, threshold = 0.5, metadata_path: path, metadata_value: value } = query
  const sizes = [count, limit].filter((size) => size !== undefined)
  const page = pageOf({ ...query, limit: sizes.length === 0 ? undefined : Math.min(...sizes) })
  const exclude =
    path === undefined || value === undefined ? undefined : { path: parseMetadataPath(path), value }
  return { ...page, threshold, exclude }
}

export function similarRoutes(search: ReturnType<typeof createSearch>) {
  const router = createRouter()
  const schema = JSON.stringify(z.toJSONSchema(SearchAnswer))
  const exactHeader = { 'X-Search-Mode': 'exact' }
  const answer = (
    { url }: { url: string },
    { owner, handle }: { owner: string; handle: string },
    results: Result[],
  ) => ({
    $schema: new URL(schemaPath, url).href,
    user_handle: owner,
    project_handle: handle,
    results,
  })
  router.openapi(getSchema, (c) =>
    c.body(schema, 200, { 'Content-Type': 'application/schema+json' }),
  )
  router.openapi(searchByPath, async (c) => {
    const { project } = c.var.granted
    const { include_self = false, ...query } = c.req.valid('query')
    const textIds = textIdsIn(c.req.url, c.req.valid('param').identifier)
    const results = await search.byTextId(project, textIds, include_self, searchOptions(query))
    return c.json(answer(c.req, project, results), 200, exactHeader)
  })
  router.openapi(searchByQuery, async (c) => {
    const { project } = c.var.granted
    const { text_id, include_self = false, ...query } = c.req.valid('query')
    const results = await search.byTextId(project, [text_id], include_self, searchOptions(query))
    return c.json(answer(c.req, project, results), 200, exactHeader)
  })
  router.openapi(searchByVector, async (c) => {
    const { project } = c.var.granted
    const { vector } = c.req.valid('json')
    const results = await search.byVector(project, vector, searchOptions(c.req.valid('query')))
    return c.json(answer(c.req, project, results), 200, exactHeader)
  })
  return router
}
