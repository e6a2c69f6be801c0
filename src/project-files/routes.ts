import { z } from '@hono/zod-openapi'
import { streamedBody } from '../http/body/format.ts'
import { etagHeader, etagOfEmbeddings, isKept, unchanged } from '../http/etag.ts'
import { linesAnswer } from '../http/lines-answer.ts'
import { createRouter, get, post } from '../http/operation.ts'
import { newProjectParams, projectParams } from '../http/path-params.ts'
import { inNamespace, onProject } from '../http/permission.ts'
import { lines } from '../http/schemas.ts'
import { streamed } from '../http/stream-answer.ts'
import { linesType } from '../json/lines-type.ts'
import type { createExports } from './exports.ts'
import type { createImports } from './imports.ts'
import {
  exampleFile,
  exampleImportAnswer,
  exportQuery,
  type Format,
  importQuery,
} from './schemas.ts'
import { fileType } from './semblance.ts'

const types = {
  ndjson: linesType,
  semblance: fileType,
} satisfies Record<Format, string>

const exampleLines =
  '{"text_id":"matthew-5-3","text":"Blessed are the poor in spirit","vector":[0.25,-0.5,0.75]}\n'
/** Text, which generated clients are to read as bytes, since it has any length. */
const file = z.string().openapi({ format: 'binary' })

const exportProject = get(
  // A semblance file may contain the instance's endpoint, which readers of the project may not see.
  onProject(
    (request) => (request.query('format') === 'semblance' ? 'project:manage' : 'project:read'),
    undefined,
    'optional',
  ),
  '/v1/projects/{user}/{project}/export',
  {
    operationId: 'exportProject',
    summary: 'Export the embeddings of a project',
    description: `Returns a file of any size, ordered by text_id (byte order).

- It is streamed from one snapshot, so it shows the state of one moment even while others write.
- It breaks off if an error occurs after its beginning, if the client reads less than 64 KiB a second, or if the caller loses access.
- format=semblance is for the administrator and for the owner, with a key that may change the project. It includes the endpoint and the API standard of the instance if the caller may read the instance.

Needs no key when public_read is true.`,
    request: { params: projectParams, query: exportQuery },
    responses: {
      200: {
        description: 'The file. Content-Disposition has its name, ETag (of ndjson) its state.',
        headers: {
          ...etagHeader,
          'Content-Disposition': {
            description: 'The suggested file name.',
            schema: { type: 'string' as const },
            example: 'attachment; filename="verses.ndjson"',
          },
        },
        content: {
          [types.ndjson]: { schema: file, example: exampleLines },
          [types.semblance]: { schema: file, example: exampleFile },
        },
      },
      ...unchanged,
    },
    errors: {
      400: 'format must be ndjson or semblance',
    },
  },
)

const importProject = post(inNamespace('projects:write'), '/v1/projects/{user}/{project}/import', {
  operationId: 'importProject',
  summary: 'Create a project from an exported file',
  description: `Imports a file that was exported with format=semblance, on this or another server. It may have any length and may be sent with Content-Encoding: gzip.

- The project must not exist yet. It becomes visible once the whole file has been received and its SHA-256 matches; if anything is wrong, nothing of it remains.
- An instance that the file describes and that does not exist is created, which needs the user's first key. instance_handle selects another one.
- Embeddings keep their dates. The new project is neither public nor shared.

The answer has lines of JSON while the file is read. The last one has the project, or an error: {"error": {"title", "status", "detail"}}.`,
  request: {
    params: newProjectParams,
    query: importQuery,
    body: {
      required: true,
      content: { [fileType]: { schema: z.string(), example: exampleFile } },
    },
  },
  responses: {
    200: lines('The progress, and finally the project or an error', exampleImportAnswer),
  },
  errors: {
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
  format: streamedBody,
})

export function exportRoutes(exports: ReturnType<typeof createExports>) {
  const router = createRouter()
  router.openapi(exportProject, (c) => {
    const { caller, project } = c.get('granted')
    const { format = 'ndjson', ...query } = c.req.valid('query')
    // The other format also shows the project and its instance.
    if (format === 'ndjson' && isKept(c, etagOfEmbeddings(project, query))) return c.body(null, 304)
    const file = exports.read(caller, project, { ...query, format })
    const headers = {
      // Handles contain no character that would need escaping in a quoted string.
      'Content-Disposition': `attachment; filename="${project.handle}.${format}"`,
      'Content-Type': types[format],
    }
    return streamed(c, file, headers, 'export')
  })
  return router
}

export function importRoutes(imports: ReturnType<typeof createImports>) {
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
    return linesAnswer(c, imports.run(request), 'import')
  })
  return router
}
