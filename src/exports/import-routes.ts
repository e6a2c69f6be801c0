import { z } from '@hono/zod-openapi'
import { bodyChunks } from '../http/body/body-chunks.ts'
import type { BodyBudget } from '../http/body/budget.ts'
import { streamedBody } from '../http/body/format.ts'
import { createRouter, operation } from '../http/operation.ts'
import { newProjectParams } from '../http/path-params.ts'
import { inNamespace } from '../http/permission.ts'
import { problemOfError } from '../http/problem.ts'
import { streamOf } from '../http/stream-answer.ts'
import type { Log } from '../log.ts'
import type { createImports } from './imports.ts'
import { exampleFile, importQuery } from './schemas.ts'

const fileType = 'application/vnd.semblance+ndjson'
const linesType = 'application/x-ndjson'

const example = `{"stored":1000,"embeddings":3779}
{"message":"Project 'alice/verses' imported","embeddings":3779,"project":{"project_id":1,"project_handle":"verses","owner":"alice","public_read":false}}
`

const importProject = operation(
  inNamespace('projects:write'),
  {
    method: 'post',
    path: '/v1/projects/{user}/{project}/import',
    operationId: 'importProject',
    summary: 'Make a project of an exported file',
    description:
      'Of a file that was exported with format=semblance, here or elsewhere, of any length, also with Content-Encoding: gzip. The project must not exist. It appears when all of the file is in and its SHA-256 fits; before that, and when something is wrong, nobody sees anything of it. Its embeddings keep their dates; it is not public and shared with nobody. Answers lines of JSON while the file comes in; the last one has the project, or what was wrong: {"error": {"title", "status", "detail"}}.',
    tags: ['Projects'],
    request: {
      params: newProjectParams,
      query: importQuery,
      body: {
        required: true,
        content: { [fileType]: { schema: z.string(), example: exampleFile } },
      },
    },
    responses: {
      200: {
        description: 'How far it is, and at last the project or what was wrong',
        content: { [linesType]: { schema: z.string(), example } },
      },
    },
  },
  {
    400: 'The body is empty: a semblance file is required',
    403: "Another user's namespace, or an instance that is not shared",
    404: ['There is no such user', "User 'alice' not found"],
    409: [
      'The project exists, or the instance has made other embeddings',
      "Project 'alice/verses' already exists",
    ],
    422: [
      'metadataScheme is not a valid JSON Schema',
      'metadataScheme is not a valid JSON Schema: schema/type must be equal to one of the allowed values, schema/type must be array, schema/type must match a schema in anyOf',
    ],
  },
  streamedBody,
)

type Lines = ReturnType<ReturnType<typeof createImports>['run']>

/** What fails in the middle is said in a last line. */
async function* withError(lines: Lines, failed: (error: unknown) => void) {
  try {
    yield* lines
  } catch (error) {
    const problem = problemOfError(error)
    if (problem.status >= 500) failed(error)
    yield `${JSON.stringify({ error: problem })}\n`
  }
}

export function importRoutes(
  imports: ReturnType<typeof createImports>,
  budget: BodyBudget,
  log: Log,
) {
  const router = createRouter()
  router.openapi(importProject, async (c) => {
    const { caller, owner } = c.get('granted')
    const { instance_owner = owner.handle, instance_handle } = c.req.valid('query')
    const instance =
      instance_handle === undefined ? undefined : { owner: instance_owner, handle: instance_handle }
    const { project: handle } = c.req.valid('param')
    const wish = {
      caller,
      owner,
      handle,
      instance,
      room: budget.open(caller),
      grantAgain: c.get('grantAgain'),
    }
    const lines = imports.run(wish, bodyChunks(c.req, c.env?.body))
    // Made before the answer begins, so that what fails there is an error like any other.
    const first = await lines.next()
    const failed = (cause: unknown) => log.warn('import failed', { id: c.var.requestId, cause })
    c.set('streamsSlowly', true)
    c.header('Content-Type', linesType)
    return c.body(streamOf(c, withError(lines, failed), failed, first.value ?? ''))
  })
  return router
}
