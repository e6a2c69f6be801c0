import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { filterCondition } from '../filters/condition.ts'
import { filterParameter } from '../filters/schemas.ts'
import { jsonText } from '../http/json-answer.ts'
import { createRouter, get } from '../http/operation.ts'
import { projectParams } from '../http/path-params.ts'
import { onProject } from '../http/permission.ts'
import type { PublicUrl } from '../http/public-url.ts'
import { json, offset, pageOf, pageSize } from '../http/schemas.ts'
import type { createEmbeddings } from './embeddings.ts'
import { projectionOf } from './projection.ts'
import { textIdsIn } from './read.ts'
import {
  after,
  EmbeddingList,
  eitherAfterOrOffset,
  exampleEmbedding,
  forbiddenMessage,
  notFoundMessage,
  projectionParameters,
  SingleEmbedding,
  TextId,
  textIdParam,
} from './schemas.ts'

const params = projectParams
const exampleSingle = { ...exampleEmbedding, project_id: 1 }

const linkHeader = {
  description: 'The next page, with after in place of offset; absent on the last page.',
  schema: { type: 'string' as const },
  example:
    '<http://localhost:8880/v1/embeddings/alice/verses?limit=10&after=matthew-5-3>; rel="next"',
}

const listEmbeddings = get(onProject('project:read'), '/v1/embeddings/{user}/{project}', {
  operationId: 'listEmbeddings',
  summary: 'List the embeddings of a project',
  description: `Ordered by text_id (byte order).

- To read all, follow the Link header, or send the last text_id of each page as after for the next. Every page costs the same, and concurrent changes cause neither gaps nor repeats.
- With filter, total_count is the number of matches, and each page examines all embeddings.
- With ?text_id= the answer is the one embedding, as from the path.`,
  request: {
    params,
    query: z
      .object({
        // For text_ids that proxies break in a path.
        text_id: TextId.optional().describe('Returns this one embedding.'),
        limit: pageSize('limit'),
        offset,
        after,
        filter: filterParameter,
        ...projectionParameters,
      })
      .superRefine(eitherAfterOrOffset),
  },
  responses: {
    200: {
      ...json(z.union([EmbeddingList, SingleEmbedding]), 'The embeddings', {
        embeddings: [exampleEmbedding],
        total_count: 1,
        limit: 10,
        offset: 0,
      }),
      headers: { Link: linkHeader },
    },
  },
  errors: { ...forbiddenMessage, ...notFoundMessage, 400: 'limit must be between 1 and 200' },
})

const getOperation = get(onProject('project:read'), '/v1/embeddings/{user}/{project}/{text_id}', {
  operationId: 'getEmbedding',
  summary: 'Show an embedding',
  description: 'With vector, text and metadata, or the parts that include names.',
  request: { params: params.extend(textIdParam), query: z.object(projectionParameters) },
  responses: { 200: json(SingleEmbedding, 'The embedding', exampleSingle) },
  errors: {
    ...forbiddenMessage,
    ...notFoundMessage,
    400: "include has no 'metdata'; did you mean metadata?",
  },
})

export function embeddingReadRoutes(
  embeddings: ReturnType<typeof createEmbeddings>,
  publicUrl: PublicUrl,
) {
  const router = createRouter()
  /** Sets the header for the page after this text_id. */
  function linkNext(c: Context, textId: string): void {
    const { pathname, search } = new URL(c.req.url)
    // As the client has written them: if escaped again, a filter becomes too long for a header.
    const parameters = search.slice(1).split('&')
    const kept = parameters.filter((each) => each !== '' && !/^(offset|after)=/.test(each))
    const query = [...kept, `after=${encodeURIComponent(textId)}`].join('&')
    c.header('Link', `<${publicUrl(`${pathname}?${query}`, c.req)}>; rel="next"`)
  }
  router.openapi(listEmbeddings, async (c) => {
    const { project } = c.get('granted')
    const { text_id, filter, after, ...query } = c.req.valid('query')
    const showing = projectionOf(query)
    if (text_id !== undefined) {
      return jsonText(c, await embeddings.get(project, [text_id], showing), 'embedding')
    }
    const condition = filter && filterCondition(filter)
    const { list, next } = await embeddings.list(
      project,
      { ...pageOf(query), after, condition },
      showing,
    )
    if (next !== undefined) linkNext(c, next)
    return jsonText(c, list, 'list of embeddings')
  })
  router.openapi(getOperation, async (c) => {
    const { project } = c.get('granted')
    const textIds = textIdsIn(c.req.url, c.req.valid('param').text_id)
    const showing = projectionOf(c.req.valid('query'))
    return jsonText(c, await embeddings.get(project, textIds, showing), 'embedding')
  })
  return router
}
