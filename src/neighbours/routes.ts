import { linesAnswer } from '../http/lines-answer.ts'
import { createRouter, operation } from '../http/operation.ts'
import { projectParams } from '../http/path-params.ts'
import { onProject } from '../http/permission.ts'
import { requesterOf } from '../http/requester.ts'
import { body, lines } from '../http/schemas.ts'
import { whileGranted } from '../http/stream-answer.ts'
import type { Log } from '../log.ts'
import { oneAtATime } from './jobs.ts'
import { neighbourLimits, tooLargeToCompare } from './limits.ts'
import type { createNeighbours } from './neighbours.ts'
import { exampleBody, exampleLines, NeighboursBody, toRequest } from './schemas.ts'

const example = exampleLines.map((line) => `${JSON.stringify(line)}\n`).join('')

const description = `For every embedding of the project its nearest ones, as lines of JSON in the order of text_ids: {"id", "neighbours": [{"id", "similarity"}, …]}, similarities as a search has them, an embedding itself left out. Between them, every few seconds, {"progress": {"done", "total"}}, with null until the total is known. The last line is {"done": true, "embeddings", "mode"}, or {"error": …} with a Problem when it fails after it has begun, also when the caller has no right to it any more; without either the answer is not complete. Compares all with all (mode exact) up to ${neighbourLimits.components} components (embeddings × dimensions) and ${neighbourLimits.vectors} embeddings; above that it searches in the project's index (mode approximate), without filter and different. What is uploaded or deleted meanwhile may or may not count. One at a time with one key. While others wait for its place a long one is broken off after a minute, and one without a key after some seconds where one with a key waits; go on with after. Needs no key when public_read is true.`

const allNeighbours = operation(
  onProject('project:read'),
  {
    method: 'post',
    path: '/v1/similars/{user}/{project}/neighbours',
    operationId: 'listAllNeighbours',
    summary: 'Find the nearest embeddings of every embedding',
    description,
    tags: ['Similarity search'],
    request: { params: projectParams, body: body(NeighboursBody, exampleBody) },
    responses: { 200: lines('Lines of JSON', example) },
  },
  {
    400: 'k: must be between 1 and 100',
    403: "Another user's project",
    404: ['There is no such project', "Project 'alice/verses' not found"],
    409: ['The caller has such a request at work already', oneAtATime().message],
    422: ['The project is too large', tooLargeToCompare(neighbourLimits).message],
  },
)

interface Dependencies {
  readonly neighbours: ReturnType<typeof createNeighbours>
  readonly log: Log
}

export function neighbourRoutes({ neighbours, log }: Dependencies) {
  const router = createRouter()
  router.openapi(allNeighbours, (c) => {
    const { project } = c.get('granted')
    const requester = requesterOf(c.req, project.owner, c.get('caller'))
    const steps = neighbours(project, toRequest(c.req.valid('json')), requester)
    return linesAnswer(c, whileGranted(c, steps), (cause) => {
      if (requester.signal.aborted) return
      log.warn('neighbours broken off', { id: c.var.requestId, cause })
    })
  })
  return router
}
