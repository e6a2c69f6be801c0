import { etagHeader, etagOfEmbeddings, isKept, unchanged } from '../http/etag.ts'
import { createRouter, get } from '../http/operation.ts'
import { projectParams } from '../http/path-params.ts'
import { onProject } from '../http/permission.ts'
import { requesterOf } from '../http/requester.ts'
import { json } from '../http/schemas.ts'
import { streamed } from '../http/stream-answer.ts'
import { mapLimits, tooManyForMap } from './limits.ts'
import type { createMaps } from './maps.ts'
import { exampleMap, exampleMapProgress, MapProgress, mapQuery, ProjectMap } from './schemas.ts'

/** Asking more often shows nothing new. */
const retryAfterSeconds = 2

const description = `Places the embeddings of a project in the plane so that similar ones lie close together, by UMAP on the 15 nearest neighbours of each, for up to ${mapLimits.texts} embeddings. Nearby points are similar; large distances and directions mean little.

- The first request starts the computation, in the background and once for all callers. Until the map is ready, the answer is 202 with the progress, and Retry-After says when to ask again; then it is 200.
- Small projects take a moment, 30,000 embeddings up to a minute, 200,000 some minutes.
- The map is stored with the project. After uploads and deletions, the old map is returned with its revision and the number of embeddings it lacks, while a new one is computed from time to time. min_revision requests one that is new enough.
- The same embeddings always give the same map.

Needs no key when public_read is true.`

const getProjectMap = get(onProject('project:read'), '/v1/projects/{user}/{project}/map', {
  operationId: 'getProjectMap',
  summary: 'Show the embeddings of a project as a map',
  description,
  request: { params: projectParams, query: mapQuery },
  responses: {
    200: { ...json(ProjectMap, 'The map', exampleMap), headers: etagHeader },
    ...unchanged,
    202: {
      ...json(MapProgress, 'The map is being computed', exampleMapProgress),
      headers: {
        'Retry-After': {
          description: 'Seconds to wait before asking again.',
          schema: { type: 'integer' as const },
          example: retryAfterSeconds,
        },
      },
    },
  },
  errors: {
    400: 'field must not be empty',
    409: [
      'The project was emptied meanwhile',
      'The project was emptied or deleted meanwhile; try again',
    ],
    422: ['The project is too large', tooManyForMap(mapLimits).message],
  },
})

export function mapRoutes(maps: ReturnType<typeof createMaps>) {
  const router = createRouter()
  router.openapi(getProjectMap, async (c) => {
    const { project } = c.get('granted')
    const { field, min_revision: minRevision = 0 } = c.req.valid('query')
    const requester = requesterOf(c.req, project.owner, c.get('caller'))
    const names = { user_handle: project.owner, project_handle: project.handle }
    const current_revision = project.collection.revision
    const state = await maps.state(project, minRevision, requester)
    if (state.is !== 'ready') {
      const progress = Math.round(state.progress * 1e3) / 1e3
      const headers = { 'Retry-After': `${retryAfterSeconds}` }
      return c.json({ ...names, status: state.is, progress, current_revision }, 202, headers)
    }
    if (isKept(c, etagOfEmbeddings(project, { map: state.revision, field })))
      return c.body(null, 304)
    const named = { ...names, status: 'ready', current_revision }
    const map = maps.read(project, field, named, requester)
    return streamed(c, map, { 'Content-Type': 'application/json' }, 'map')
  })
  return router
}
