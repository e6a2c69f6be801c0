import { z } from '@hono/zod-openapi'
import { streamedBody } from '../http/body/format.ts'
import { linesAnswer } from '../http/lines-answer.ts'
import { createRouter, operation } from '../http/operation.ts'
import { newProjectParams } from '../http/path-params.ts'
import { inNamespace } from '../http/permission.ts'
import { lines } from '../http/schemas.ts'
import type { Log } from '../log.ts'
import type { createImports } from './imports.ts'
import { exampleFile, importQuery } from './schemas.ts'
import { fileType } from './semblance.ts'

const example = `{"stored":1000,"embeddings":3779}
{"message":"Project 'alice/verses' imported","embeddings":3779,"project":{"project_id":1,"project_handle":"verses","owner":"alice","public_read":false}}
`

const importProject = operation(
  inNamespace('projects:write'),
  {
    method: 'post',
    path: '/v1/projects/{user}/{project}/import',
    operationId: 'importProject',
    summary: 'Create a project from an exported file',
    description:
      'Imports a file that was exported with format=semblance, on this or another server. The file may have any length and may be sent with Content-Encoding: gzip. The project must not exist yet. It becomes visible only once the whole file has been received and its SHA-256 matches; if anything is wrong, nothing of it remains. If the instance described in the file does not exist, it is created, which needs the user\'s first key; instance_handle selects another one. Embeddings keep their dates. The new project is neither public nor shared. The answer has lines of JSON while the file is read; the last one has the project, or an error: {"error": {"title", "status", "detail"}}.',
    tags: ['Projects'],
    request: {
      params: newProjectParams,
      query: importQuery,
      body: {
        required: true,
        content: { [fileType]: { schema: z.string(), example: exampleFile } },
      },
    },
    responses: { 200: lines('The progress, and finally the project or an error', example) },
  },
  {
    400: 'The body is empty: a semblance file is required',
    403: 'The namespace belongs to another user, the instance is not shared, or a named key would have to create an instance',
    404: ['There is no such user', "User 'alice' not found"],
    409: [
      "The project exists, or the instance differs from the file's",
      "Project 'alice/verses' already exists",
    ],
    422: [
      'metadataScheme is not a valid JSON Schema',
      'metadataScheme is not a valid JSON Schema: schema/type must be equal to one of the allowed values, schema/type must be array, schema/type must match a schema in anyOf',
    ],
  },
  streamedBody,
)

export function importRoutes(imports: ReturnType<typeof createImports>, log: Log) {
  const router = createRouter()
  router.openapi(importProject, (c) => {
    const { caller, owner } = c.get('granted')
    const { instance_owner = owner.handle, instance_handle } = c.req.valid('query')
    const instance =
      instance_handle === undefined ? undefined : { owner: instance_owner, handle: instance_handle }
    const { project: handle } = c.req.valid('param')
    const body = c.get('bodyStream')
    if (body === undefined) throw new Error('the body of an import is read as it comes')
    const request = { caller, owner, handle, instance, body, grantAgain: c.get('grantAgain') }
    return linesAnswer(c, imports.run(request), (cause, status) => {
      if (status >= 500) log.warn('import failed', { id: c.var.requestId, cause })
    })
  })
  return router
}
