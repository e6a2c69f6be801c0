import { z } from '@hono/zod-openapi'
import { createRouter, operation } from '../../http/operation.ts'
import { anyone } from '../../http/permission.ts'
import { json } from '../../http/schemas.ts'

const Status = z.object({ status: z.literal('ok') }).openapi('Status')
const tags = ['Service']

const live = operation(anyone, {
  method: 'get',
  path: '/livez',
  operationId: 'getLiveness',
  summary: 'Whether the process answers',
  tags,
  responses: { 200: json(Status, 'It does', { status: 'ok' }) },
})

const ready = operation(anyone, {
  method: 'get',
  path: '/readyz',
  operationId: 'getReadiness',
  summary: 'Whether the database is there as well, with its extension and all migrations',
  tags,
  responses: { 200: json(Status, 'It does', { status: 'ok' }) },
})

export function healthRoutes(isReady: () => Promise<void>) {
  const router = createRouter()
  router.openapi(live, (c) => c.json({ status: 'ok' as const }, 200))
  router.openapi(ready, async (c) => {
    await isReady()
    return c.json({ status: 'ok' as const }, 200)
  })
  return router
}
