import { z } from '@hono/zod-openapi'
import type { Project } from '../access/project.ts'
import { parsePath } from '../filters/metadata-path.ts'
import { filterParameter } from '../filters/schemas.ts'
import { createRouter, get } from '../http/operation.ts'
import { projectParams as params } from '../http/path-params.ts'
import { onProject } from '../http/permission.ts'
import { requesterOf } from '../http/requester.ts'
import { json } from '../http/schemas.ts'
import type { VectorCache } from '../search/memory/vector-cache.ts'
import { shownScale } from '../search/scale.ts'
import {
  CountAnswer,
  exampleFields,
  exampleStatistics,
  FacetsInUrl,
  Fields,
  Statistics,
} from './schemas.ts'
import type { createStatistics } from './statistics.ts'

const countEmbeddings = get(onProject('project:read'), '/v1/projects/{user}/{project}/count', {
  operationId: 'countEmbeddings',
  summary: 'Count the embeddings of a project',
  description:
    'Counts all embeddings, or those that match filter. The number is exact: a filter examines all embeddings.',
  request: { params, query: z.object({ filter: filterParameter }) },
  responses: { 200: json(CountAnswer, 'The number of embeddings', { count: 1151 }) },
  errors: { 400: 'filter must be JSON such as {"ref.book":"Mark"}, percent-encoded' },
})

const getStatistics = get(onProject('project:read'), '/v1/projects/{user}/{project}/statistics', {
  operationId: 'getProjectStatistics',
  summary: 'Show the size of a project',
  description:
    'Number, dimensions and size of the embeddings, the index used by searches, how similar the texts are, and the times of the first and the last upload.',
  request: { params },
  responses: { 200: json(Statistics, 'The statistics', exampleStatistics) },
})

const getFields = get(onProject('project:read'), '/v1/projects/{user}/{project}/fields', {
  operationId: 'getProjectFields',
  summary: 'List the metadata fields of a project',
  description: `Lists the fields with their types, the number of documents that have them, and their most frequent values, for use in filters.

- Above 10,000 embeddings it examines a sample of that size: 100 neighbours at each of 100 places, evenly spread over the text_ids.
- Each user can have one such request at a time; others wait.`,
  request: { params, query: FacetsInUrl },
  responses: { 200: json(Fields, 'The fields', exampleFields) },
  errors: { 400: 'filter requires field to be specified' },
})

const namesOf = ({ owner, handle }: Project) => ({ user_handle: owner, project_handle: handle })

/** @param scales knows how similar the texts of projects are */
export function statisticsRoutes(
  statistics: ReturnType<typeof createStatistics>,
  scales: Pick<VectorCache, 'scale'>,
) {
  const router = createRouter()
  router.openapi(countEmbeddings, async (c) => {
    const { filter } = c.req.valid('query')
    return c.json({ count: await statistics.count(c.get('granted').project, filter) }, 200)
  })
  router.openapi(getStatistics, async (c) => {
    const { project } = c.get('granted')
    const { collection } = project
    const dimensions = collection.dimensions ?? 0
    const scale = shownScale(await scales.scale({ ...collection, dimensions }))
    return c.json({ ...namesOf(project), ...(await statistics.summary(project)), ...scale }, 200)
  })
  router.openapi(getFields, async (c) => {
    const { project } = c.get('granted')
    const requester = requesterOf(c.req, project.owner, c.get('caller'))
    const { field: names, filter } = c.req.valid('query')
    const facets = names && { paths: names.map((name) => parsePath(name, 'field')), filter }
    const fields = await statistics.fields(project, facets, requester)
    return c.json({ ...namesOf(project), ...fields }, 200)
  })
  return router
}
