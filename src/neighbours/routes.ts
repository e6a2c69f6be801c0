import { linesAnswer } from '../http/lines-answer.ts'
import { createRouter, post } from '../http/operation.ts'
import { projectParams } from '../http/path-params.ts'
import { onProject } from '../http/permission.ts'
import { requesterOf } from '../http/requester.ts'
import { body, lines } from '../http/schemas.ts'
import { whileGranted } from '../http/stream-answer.ts'
import { oneAtATime } from './jobs.ts'
import { neighbourLimits, tooLargeToCompare } from './limits.ts'
import type { createNeighbours } from './neighbours.ts'
import { exampleBody, exampleLines, NeighboursBody, toRequest } from './schemas.ts'

const example = exampleLines.map((line) => `${JSON.stringify(line)}\n`).join('')

const description = `Finds the nearest neighbours of every embedding. The answer has lines:

- {"id", "neighbours": [{"id", "similarity"}, …]} for each embedding, in the order of text_ids
- {"progress": {"done", "total"}} every few seconds
- {"done": true, "embeddings", "mode"} or {"error": …} at the end, without which the answer is incomplete

Up to ${neighbourLimits.components} components (embeddings × dimensions) and ${neighbourLimits.vectors} embeddings, all are compared with each other (mode exact). Above that, the project's index is searched (mode approximate), without filter and different.

Each user can have one such request at a time. A long one is broken off while others wait: continue with after.`

const allNeighbours = post(onProject('project:read'), '/v1/similars/{user}/{project}/neighbours', {
  operationId: 'listAllNeighbours',
  summary: 'Find the nearest embeddings of every embedding',
  description,
  request: { params: projectParams, body: body(NeighboursBody, exampleBody) },
  responses: { 200: lines('Lines of JSON', example) },
  errors: {
    400: 'k: must be between 1 and 100',
    409: ['The caller already has such a request running', oneAtATime().message],
    422: ['The project is too large', tooLargeToCompare(neighbourLimits).message],
  },
})

export function neighbourRoutes(neighbours: ReturnType<typeof createNeighbours>) {
  const router = createRouter()
  router.openapi(allNeighbours, (c) => {
    const { project } = c.get('granted')
    const requester = requesterOf(c.req, project.owner, c.get('caller'))
    const steps = neighbours(project, toRequest(c.req.valid('json')), requester)
    return linesAnswer(c, whileGranted(c, steps), 'neighbours')
  })
  return router
}
