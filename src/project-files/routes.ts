import { z } from '@hono/zod-openapi'
import { createRouter, operation } from '../http/operation.ts'
import { projectParams } from '../http/path-params.ts'
import { onProject } from '../http/permission.ts'
import { streamed } from '../http/stream-answer.ts'
import { linesType } from '../json/lines-type.ts'
import type { Log } from '../log.ts'
import type { createExports, Format } from './exports.ts'
import { exampleFile, exportQuery } from './schemas.ts'
import { fileType } from './semblance.ts'

const types = {
  ndjson: linesType,
  parquet: 'application/vnd.apache.parquet',
  semblance: fileType,
} satisfies Record<Format, string>

const lines =
  '{"text_id":"matthew-5-3","text":"Blessed are the poor in spirit","vector":[0.25,-0.5,0.75]}\n'
const file = z.string().openapi({ format: 'binary' })

const exportProject = operation(
  // A semblance file may contain the instance's endpoint, which readers of the project may not see.
  onProject(
    (request) => (request.query('format') === 'semblance' ? 'project:manage' : 'project:read'),
    undefined,
    'optional',
  ),
  {
    method: 'get',
    path: '/v1/projects/{user}/{project}/export',
    operationId: 'exportProject',
    summary: 'Export the embeddings of a project',
    description:
      'Returns a file of any size, ordered by text_id (byte order). It is streamed from one snapshot, so it shows the state of one moment even while others write. The file breaks off if an error occurs after its beginning, if the client reads less than 64 KiB a second, or if the caller loses access. Needs no key when public_read is true. format=semblance is for the owner, with a key that may change the project, and the administrator; it includes the endpoint and the API standard of the instance if the caller may read the instance.',
    tags: ['Projects'],
    request: { params: projectParams, query: exportQuery },
    responses: {
      200: {
        description: 'The file. Content-Disposition has its name.',
        headers: {
          'Content-Disposition': {
            description: 'The suggested file name.',
            schema: { type: 'string' as const },
            example: 'attachment; filename="verses.ndjson"',
          },
        },
        content: {
          // Listed first because code generators use the first type, and bytes fit all three.
          [types.parquet]: { schema: file },
          [types.ndjson]: { schema: z.string(), example: lines },
          [types.semblance]: { schema: z.string(), example: exampleFile },
        },
      },
    },
  },
  {
    400: 'format must be ndjson, parquet or semblance',
    403: "Another user's project",
    404: ['There is no such project', "Project 'alice/verses' not found"],
  },
)

export function exportRoutes(exports: ReturnType<typeof createExports>, log: Log) {
  const router = createRouter()
  router.openapi(exportProject, (c) => {
    const { caller, project } = c.get('granted')
    const { format = 'ndjson', ...query } = c.req.valid('query')
    const { filter, include: parts, vector_format: vectorFormat } = query
    const file = exports.read(caller, project, { format, filter, parts, vectorFormat })
    const failedLate = (cause: unknown) =>
      log.warn('export broken off', { id: c.var.requestId, cause })
    const headers = {
      // Handles contain no character that would need escaping in a quoted string.
      'Content-Disposition': `attachment; filename="${project.handle}.${format}"`,
      'Content-Type': types[format],
    }
    return streamed(c, file, headers, failedLate)
  })
  return router
}
