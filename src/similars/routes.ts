import { z } from '@hono/zod-openapi'
import type { Context, HonoRequest } from 'hono'
import { setMetric } from 'hono/timing'
import { maxTextId, TextId, textIdParam } from '../embeddings/schemas.ts'
import { textIdsIn } from '../embeddings/text-ids.ts'
import { createRouter, operation } from '../http/operation.ts'
import { projectParams } from '../http/path-params.ts'
import { anyone, onProject } from '../http/permission.ts'
import type { PublicUrl } from '../http/public-url.ts'
import { body, json } from '../http/schemas.ts'
import { parseVectorBody } from './given-vector.ts'
import {
  bothOrNeither,
  exampleAnswer,
  includeSelf,
  options,
  SearchAnswer,
  SoughtVector,
  searchOptions,
} from './schemas.ts'
import type { createSearch, TimedRanking } from './search.ts'

const params = projectParams
const tags = ['Similarity search']
const missing = { 404: 'There is no such project or embedding' }
const stranger = { 403: "Another user's project" }

const answers = {
  200: {
    ...json(SearchAnswer, 'The most similar first; equal ones by text_id', exampleAnswer),
    headers: {
      'X-Search-Mode': {
        description:
          'exact: every vector of the project was compared. approximate: an index was used, as large projects have it; it finds at least 99 of 100 of the true results on average.',
        schema: { type: 'string' as const, enum: ['exact', 'approximate'] },
      },
      'Server-Timing': {
        description:
          'Milliseconds for access (key and permission), body, index and exact (the statements of the search, with waits for a connection), and in total.',
        schema: { type: 'string' as const },
        example: 'access;dur=0.9,exact;dur=4.2,total;dur=5.6',
      },
    },
  },
}

const description =
  'Results are ranked by cosine similarity; what has a negative one is no result, whatever the threshold. A filter, a threshold or an offset never makes a page shorter than the data allow. An approximate answer keeps this within the recall of its index, and in projects above max_scan_components of /v1/limits it ends where the index does. Pages of one ranking have no gaps and no repeats as long as neither the project nor its index changes between them. Needs no key when public_read is true.'

const searchByPath = operation(
  onProject('project:read'),
  {
    method: 'get',
    path: '/v1/similars/{user}/{project}/{text_id}',
    operationId: 'searchByTextId',
    summary: 'Find the embeddings similar to a stored one',
    description,
    tags,
    request: {
      params: params.extend(textIdParam),
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
    path: '/v1/similars/{user}/{project}',
    operationId: 'searchByTextIdParameter',
    summary: 'Find the embeddings similar to a stored one, named in the query',
    description: `For text_ids that proxies break in a path. ${description}`,
    tags,
    request: {
      params,
      query: z
        .object({
          text_id: z.string({ error: 'text_id is required' }).pipe(TextId).openapi({
            minLength: 1,
            maxLength: maxTextId,
            description: 'The stored embedding to search for.',
          }),
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
    path: '/v1/similars/{user}/{project}',
    operationId: 'searchByVector',
    summary: 'Find the embeddings similar to a vector',
    description: `The vector is not stored. ${description}`,
    tags,
    request: {
      params,
      query: z.object(options).superRefine(bothOrNeither),
      body: body(z.object({ vector: SoughtVector }), { vector: [0.25, -0.5, 0.75] }),
    },
    responses: answers,
  },
  { ...stranger, ...missing },
  { size: 'usual', parse: async (bytes) => parseVectorBody(bytes) },
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

interface Dependencies {
  readonly search: ReturnType<typeof createSearch>
  readonly publicUrl: PublicUrl
  /** To be told in which mode a search was answered. */
  readonly searched: (mode: TimedRanking['mode']) => void
}

export function similarRoutes({ search, publicUrl, searched }: Dependencies) {
  const router = createRouter()
  const schema = JSON.stringify(z.toJSONSchema(SearchAnswer))
  const answer = (
    request: HonoRequest,
    { owner, handle }: { owner: string; handle: string },
    { results }: TimedRanking,
  ) => ({
    $schema: publicUrl(schemaPath, request),
    user_handle: owner,
    project_handle: handle,
    results,
  })
  /** Says how the results were found, and tells `Server-Timing` what that took. */
  function report(c: Context, { mode, timings }: TimedRanking): void {
    searched(mode)
    c.header('X-Search-Mode', mode)
    c.set('showsTiming', true)
    if (timings.byIndex !== undefined) setMetric(c, 'index', timings.byIndex)
    if (timings.exactly !== undefined) setMetric(c, 'exact', timings.exactly)
  }
  router.openapi(getSchema, (c) =>
    c.body(schema, 200, { 'Content-Type': 'application/schema+json' }),
  )
  router.openapi(searchByPath, async (c) => {
    const { project } = c.get('granted')
    const { include_self = false, ...query } = c.req.valid('query')
    const textIds = textIdsIn(c.req.url, c.req.valid('param').text_id)
    const ranking = await search.byTextId(project, textIds, include_self, searchOptions(query))
    report(c, ranking)
    return c.json(answer(c.req, project, ranking), 200)
  })
  router.openapi(searchByQuery, async (c) => {
    const { project } = c.get('granted')
    const { text_id, include_self = false, ...query } = c.req.valid('query')
    const ranking = await search.byTextId(project, [text_id], include_self, searchOptions(query))
    report(c, ranking)
    return c.json(answer(c.req, project, ranking), 200)
  })
  router.openapi(searchByVector, async (c) => {
    const { project } = c.get('granted')
    const { vector } = c.req.valid('json')
    const ranking = await search.byVector(project, vector, searchOptions(c.req.valid('query')))
    report(c, ranking)
    return c.json(answer(c.req, project, ranking), 200)
  })
  return router
}
