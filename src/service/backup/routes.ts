import { z } from '@hono/zod-openapi'
import { createRouter, post } from '../../http/operation.ts'
import { admin } from '../../http/permission.ts'
import { streamed } from '../../http/stream-answer.ts'
import { type Backup, forEmbeddedOnly } from './backup.ts'

const tar = 'application/x-tar'

const backUp = post(admin('service:back-up'), '/v1/admin/backup', {
  operationId: 'backUpDatabase',
  summary: 'Back up the embedded database',
  description: `Returns a tar archive of the texts and vectors of all users as of this moment.

- It is without the encryption key, **without which the database cannot be opened**: keep the key in another place.
- The server keeps running. It first copies the files on its own disk, which needs that much free space.
- If the backup fails after its beginning, the answer breaks off.

Back up PostgreSQL with pg_dump instead.`,
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

export function backupRoutes(backup: Backup) {
  const router = createRouter()
  router.openapi(backUp, (c) => {
    const headers = {
      'Content-Disposition': 'attachment; filename="semblance.tar"',
      'Content-Type': tar,
    }
    return streamed(c, backup.archive(), headers, 'backup')
  })
  return router
}
