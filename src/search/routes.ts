import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { setMetric } from 'hono/timing'
import type { ProjectWithCollection } from '../access/project.ts'
import { textIdsIn } from '../embeddings/read.ts'
import { maxTextId, TextId, textIdParam } from '../embeddings/schemas.ts'
import { jsonText } from '../http/json-answer.ts'
import { createRouter, operation } from '../http/operation.ts'
import { projectParams } from '../http/path-params.ts'
import { onProject } from '../http/permission.ts'
import type { PublicUrl } from '../http/public-url.ts'
import { body, json } from '../http/schemas.ts'
import { providerErrors, type TextVectors } from '../http/text-vectors.ts'
import type { Log } from '../log.ts'
import { noteOf, searchHeaders } from './answer/answer-headers.ts'
import { listed, printResults } from './answer/print.ts'
import {
  includeSelf,
  mergeOptions,
  type OptionValues,
  options,
  projectionFrom,
  requireTogether,
  searchOptions,
} from './options/schemas.ts'
import { GivenVector, parseVectorBody, type SearchedFor } from './options.ts'
import { schemaPath } from './schema-routes.ts'
import { exampleAnswer, SearchAnswer, SearchSchema } from './schemas.ts'
import type { FoundRanking } from './search.ts'
import type { createSearch } from './similar.ts'

const params = projectParams
const tags = ['Similarity search']
const notFound = {
  400: 'threshold must be between 0.0 and 1.0',
  404: [
    'There is no such project or embedding',
    "Embedding 'matthew-5-3' not found in project 'alice/verses'",
  ],
} as const
const unprocessableMessage = {
  400: 'vector dimension mismatch: expected 3 dimensions, got 2',
  404: ['There is no such project', "Project 'alice/verses' not found"],
} as const
const forbidden = { 403: "Another user's project" }

const answers = {
  200: {
    ...json(SearchAnswer, 'The most similar first; ties are ordered by text_id', exampleAnswer),
    headers: searchHeaders,
  },
}

const description =
  'Results are ranked by cosine similarity. Documents with a negative similarity are never returned, whatever the threshold. A filter, threshold or offset never makes a page shorter than the data require. For an approximate answer this holds within the recall of its index; in projects above max_scan_components of /v1/limits, results end where those of the index do. Pages of one ranking have no gaps and no repeats as long as neither the project nor its index changes. Needs no key when public_read is true.'

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
      query: z.object({ ...options, include_self: includeSelf }).superRefine(requireTogether),
    },
    responses: answers,
  },
  { ...forbidden, ...notFound },
)

const searchByQuery = operation(
  onProject('project:read'),
  {
    method: 'get',
    path: '/v1/similars/{user}/{project}',
    operationId: 'searchByTextIdParameter',
    summary: 'Find the embeddings similar to a stored one, given as a query parameter',
    description: `For text_ids that proxies would change in a path. ${description}`,
    tags,
    request: {
      params,
      query: z
        .object({
          text_id: z
            .string({ error: 'text_id is required' })
            .pipe(TextId)
            .openapi({
              minLength: 1,
              maxLength: maxTextId,
              description: 'The stored embedding to search for.',
              param: { example: 'matthew-5-3' },
            }),
          ...options,
          include_self: includeSelf,
        })
        .superRefine(requireTogether),
    },
    responses: answers,
  },
  { ...forbidden, ...notFound },
)

const searchByVector = operation(
  onProject('project:read'),
  {
    method: 'post',
    path: '/v1/similars/{user}/{project}',
    operationId: 'searchByVector',
    summary: 'Find the embeddings similar to a vector or to words',
    description: `The body can also have a stored embedding (text_id) or words (text) instead of a vector, and all options. An option that is given in the URL too must have the same value there. The vector is not stored. Words are sent to the provider of the project's instance with its key, if the project's text_queries and the server's SERVICE_EMBEDDINGHOSTS allow it. Repeated words usually come from a cache and cost nothing. ${description}`,
    tags,
    request: {
      params,
      query: z.object({ ...options, include_self: includeSelf }).superRefine(requireTogether),
      body: body(SearchSchema, { vector: [0.25, -0.5, 0.75] }),
    },
    responses: answers,
  },
  { ...forbidden, ...unprocessableMessage, ...providerErrors },
  { size: 'usual', parse: async (bytes) => parseVectorBody(bytes) },
)

interface Dependencies {
  readonly search: ReturnType<typeof createSearch>
  readonly queryVectors: TextVectors
  readonly publicUrl: PublicUrl
  /** Called with each search that was answered. */
  readonly searched: (found: FoundRanking) => void
  readonly log: Log
}

export function similarRoutes(dependencies: Dependencies) {
  const { search, queryVectors, publicUrl, searched, log } = dependencies
  const router = createRouter()

  async function answer(
    c: Context,
    project: ProjectWithCollection,
    searchedFor: SearchedFor,
    values: OptionValues,
  ) {
    const ranking = await search.similarTo(project, searchedFor, searchOptions(values))
    searched(ranking)
    report(c, ranking)
    const { results, totalSimilar } = ranking
    const head = {
      $schema: publicUrl(schemaPath, c.req),
      user_handle: project.owner,
      project_handle: project.handle,
      ...(totalSimilar !== undefined && { total_similar: totalSimilar }),
    }
    const before = `${JSON.stringify(head).slice(0, -1)},"results":[`
    const text = await printResults<z.output<typeof SearchAnswer>>(
      listed(before, results, ']}', projectionFrom(values)),
      (wanted, parts) => search.partsOf(project, wanted, parts),
    )
    return jsonText(c, text, (cause) =>
      log.warn('results of a search broken off', { id: c.var.requestId, cause }),
    )
  }

  router.openapi(searchByPath, (c) => {
    const textIds = textIdsIn(c.req.url, c.req.valid('param').text_id)
    return answer(c, c.get('granted').project, { textIds }, c.req.valid('query'))
  })
  router.openapi(searchByQuery, (c) => {
    const { text_id, ...values } = c.req.valid('query')
    return answer(c, c.get('granted').project, { textIds: [text_id] }, values)
  })
  router.openapi(searchByVector, async (c) => {
    const { vector, text_id = '', text, ...inBody } = c.req.valid('json')
    const values = mergeOptions(c.req.valid('query'), inBody)
    const { project } = c.get('granted')
    if (text !== undefined) {
      const [embedded] = await queryVectors(c, c.get('granted'), [text])
      return answer(c, project, { vector: new GivenVector(embedded ?? []) }, values)
    }
    return answer(c, project, vector === undefined ? { textIds: [text_id] } : { vector }, values)
  })
  return router
}

/** Reports how the results were found, and adds the search to `Server-Timing`. */
function report(c: Context, ranking: FoundRanking): void {
  const { mode, hidden, strategy, milliseconds } = ranking
  c.header('X-Search-Mode', mode)
  if (hidden !== undefined) c.header('X-Search-Hidden', `${hidden}`)
  const note = noteOf(ranking)
  if (note !== undefined) c.header('X-Search-Note', note)
  c.set('showsTiming', true)
  setMetric(c, strategy, milliseconds)
}
