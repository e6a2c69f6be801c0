import { z } from '@hono/zod-openapi'
import { createRouter, operation } from '../../http/operation.ts'
import { admin } from '../../http/permission.ts'
import { streamed } from '../../http/stream-answer.ts'
import type { Log } from '../../log.ts'
import { type Backup, forEmbeddedOnly } from './backup.ts'

const tar = 'application/x-tar'

const backUp = operation(
  admin('service:back-up'),
  {
    method: 'post',
    path: '/v1/admin/backup',
    operationId: 'backUpDatabase',
    summary: 'Back up the embedded database',
    description:
      'Answers a tar archive of the database as it is at this moment, while the server goes on. First its files are copied on the disk of the server, which needs as much room again; other requests wait meanwhile. Then the copy is sent and removed. **The encryption key is not in it, and without that key the database does not open**: keep it in another place. The archive holds the texts and vectors of all users. A backup that fails after its beginning breaks off. PostgreSQL is backed up with pg_dump.',
    tags: ['Service'],
    responses: {
      200: {
        description: 'The archive; RESTORE.txt in it says how it is restored',
        headers: {
          'Content-Disposition': {
            description: 'Says how a program that keeps the file calls it.',
            schema: { type: 'string' as const },
            example: 'attachment; filename="semblance.tar"',
          },
        },
        content: { [tar]: { schema: z.string().openapi({ format: 'binary' }) } },
      },
    },
  },
  {
    403: 'Only the administrator may back the database up',
    409: ['It is PostgreSQL, or another backup is being made', forEmbeddedOnly],
  },
)

export function backupRoutes(backup: Backup, log: Log) {
  const router = createRouter()
  router.openapi(backUp, (c) => {
    const headers = {
      'Content-Disposition': 'attachment; filename="semblance.tar"',
      'Content-Type': tar,
    }
    const failedLate = (cause: unknown) =>
      log.warn('backup broken off', { id: c.var.requestId, cause })
    return streamed(c, backup.archive(), headers, failedLate)
  })
  return router
}
