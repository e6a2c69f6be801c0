import { z } from '@hono/zod-openapi'
import { createRouter, operation } from '../../http/operation.ts'
import { admin } from '../../http/permission.ts'
import { streamed } from '../../http/stream-answer.ts'
import type { Log } from '../../log.ts'
import { type Backup, forEmbeddedOnly } from './backup.ts'

const tar = 'application/x-tar'

const backUp = operation(admin('service:back-up'), {
  method: 'post',
  path: '/v1/admin/backup',
  operationId: 'backUpDatabase',
  summary: 'Back up the embedded database',
  description:
    'Returns a tar archive of the database as of this moment. The server keeps running. First it copies the files of the database on its own disk, which needs that much free space; other requests wait meanwhile. Then it sends and removes the copy. **The archive does not contain the encryption key, and the database cannot be opened without it**: keep the key in another place. The archive contains the texts and vectors of all users. If the backup fails after its beginning, the answer breaks off. Back up PostgreSQL with pg_dump instead.',
  responses: {
    200: {
      description: 'The archive. RESTORE.txt in it explains how to restore it.',
      headers: {
        'Content-Disposition': {
          description: 'The suggested file name.',
          schema: { type: 'string' as const },
          example: 'attachment; filename="semblance.tar"',
        },
      },
      content: { [tar]: { schema: z.string().openapi({ format: 'binary' }) } },
    },
  },
  errors: {
    403: 'Only the administrator may back the database up',
    409: ['The database is PostgreSQL, or another backup is running', forEmbeddedOnly],
  },
})

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
