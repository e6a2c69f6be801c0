import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { setMetric } from 'hono/timing'
import type { ProjectWithCollection } from '../access/project.ts'
import { textIdsIn } from '../embeddings/read.ts'
import { notFoundMessage, textIdParam } from '../embeddings/schemas.ts'
import { jsonText } from '../http/json-answer.ts'
import { createRouter, get, post } from '../http/operation.ts'
import { projectParams } from '../http/path-params.ts'
import { anyone, onProject } from '../http/permission.ts'
import type { PublicUrl } from '../http/public-url.ts'
import { body } from '../http/schemas.ts'
import { providerErrors, type TextVectors } from '../http/text-vectors.ts'
import { beforeList, noteOf, printResults } from './answer.ts'
import {
  mergeOptions,
  OptionsInUrl,
  type OptionValues,
  searchOptions,
  shownBy,
  TextIdInUrl,
} from './options/schemas.ts'
import { parseVectorBody, type SearchedFor, searchedForBy } from './options.ts'
import { noScaleBecause } from './scale.ts'
import {
  SearchAnswer,
  SearchResult,
  SearchSchema,
  searchAnswers,
  searchDescriptions,
} from './schemas.ts'
import type { FoundRanking } from './search.ts'
import type { createSearch } from './similar.ts'
import { tooFrequent } from './words/refusal-messages.ts'

const notFound = { ...notFoundMessage, 400: 'threshold must be between 0.0 and 1.0' }

const noScale = `min_percentile has no scale: ${noScaleBecause.few}`
const scaleErrors = { 422: ['Similarities have no scale', noScale] } as const
export const wordErrors = {
  422: ['The words cannot be ranked, or similarities have no scale', tooFrequent().message],
} as const

const searchByPath = get(onProject('project:read'), '/v1/similars/{user}/{project}/{text_id}', {
  operationId: 'searchByTextId',
  summary: 'Find the embeddings similar to a stored one',
  description: searchDescriptions.byPath,
  request: { params: projectParams.extend(textIdParam), query: OptionsInUrl },
  responses: searchAnswers,
  errors: { ...notFound, ...scaleErrors },
})

const searchByQuery = get(onProject('project:read'), '/v1/similars/{user}/{project}', {
  operationId: 'searchByTextIdParameter',
  summary:
    'Find the embeddings similar to a stored one, or texts by their words, with query parameters',
  description: searchDescriptions.byQuery,
  request: { params: projectParams, query: TextIdInUrl },
  responses: searchAnswers,
  errors: { ...notFound, ...wordErrors },
})

const searchByVector = post(onProject('project:read'), '/v1/similars/{user}/{project}', {
  operationId: 'searchByVector',
  summary: 'Find the embeddings similar to a vector or a text, or texts by their words',
  description: searchDescriptions.byVector,
  request: {
    params: projectParams,
    query: OptionsInUrl,
    body: body(SearchSchema, { vector: [0.25, -0.5, 0.75] }),
  },
  responses: searchAnswers,
  errors: {
    400: 'vector dimension mismatch: expected 3 dimensions, got 2',
    ...providerErrors,
    ...wordErrors,
  },
  format: { size: 'usual', parse: async (bytes) => parseVectorBody(bytes) },
})

const schemaPath = '/v1/schemas/similarity-response.json'
const getSchema = get(anyone, schemaPath, {
  operationId: 'getSimilarityResponseSchema',
  summary: 'The JSON Schema of a similarity response',
  description: 'The schema that $schema refers to in search answers. Needs no key.',
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

export interface SearchDependencies {
  readonly search: ReturnType<typeof createSearch>
  readonly queryVectors: TextVectors
  /** Called with each search that was answered. */
  readonly searched: (found: FoundRanking) => void
}

type Dependencies = SearchDependencies & { readonly publicUrl: PublicUrl }

export function similarRoutes({ search, queryVectors, publicUrl, searched }: Dependencies) {
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
      total_similar: totalSimilar,
    }
    const text = await printResults<z.output<typeof SearchAnswer>>(
      [beforeList(head, 'results'), { results, shown: shownBy(values) }, ']}'],
      (wanted) => search.partsOf(project, wanted),
    )
    return jsonText(c, text, 'results of a search')
  }

  router.openapi(searchByPath, (c) => {
    const textIds = textIdsIn(c.req.url, c.req.valid('param').text_id)
    return answer(c, c.get('granted').project, { textIds }, c.req.valid('query'))
  })
  router.openapi(searchByQuery, (c) => {
    const { text_id, ...values } = c.req.valid('query')
    const searchedFor = searchedForBy({ text_id })
    return answer(c, c.get('granted').project, searchedFor, values)
  })
  router.openapi(searchByVector, async (c) => {
    const { vector, text_id, text, like, unlike, ...inBody } = c.req.valid('json')
    const values = mergeOptions(c.req.valid('query'), inBody)
    const { project } = c.get('granted')
    const [embedded = []] =
      text === undefined ? [] : await queryVectors(c, c.get('granted'), [text])
    const sought = text === undefined ? vector : embedded
    const searchedFor = searchedForBy({ vector: sought, text_id, like, unlike })
    return answer(c, project, searchedFor, values)
  })
  return router
}

export function searchSchemaRoutes() {
  const router = createRouter()
  const schema = z.toJSONSchema(SearchAnswer, {
    unrepresentable: 'any',
    // Each has a similarity, a score, or both. Generators of clients would not understand this.
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema !== SearchResult) return
      jsonSchema.anyOf = [{ required: ['similarity'] }, { required: ['score'] }]
    },
  })
  const printed = JSON.stringify(schema)
  router.openapi(getSchema, (c) =>
    c.body(printed, 200, { 'Content-Type': 'application/schema+json' }),
  )
  return router
}

/** Reports how the results were found, and adds the search to `Server-Timing`. */
export function report(c: Context, ranking: FoundRanking, note = noteOf(ranking)): void {
  const { mode, hidden, strategy, milliseconds } = ranking
  c.header('X-Search-Mode', mode)
  if (hidden !== undefined) c.header('X-Search-Hidden', `${hidden}`)
  if (note !== undefined) c.header('X-Search-Note', note)
  c.set('showsTiming', true)
  setMetric(c, strategy, milliseconds)
}
