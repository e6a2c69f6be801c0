import { z } from '@hono/zod-openapi'
import { createRouter, operation } from '../../http/operation.ts'
import { anyone } from '../../http/permission.ts'
import { json } from '../../http/schemas.ts'

const Health = z.object({ status: z.literal('ok') }).openapi('Health')
const tags = ['Service']

const live = operation(anyone, {
  method: 'get',
  path: '/livez',
  operationId: 'getLiveness',
  summary: 'Whether the process answers',
  description:
    'For a supervisor that restarts what hangs; the database is not asked. Needs no key.',
  tags,
  responses: { 200: json(Health, 'It does', { status: 'ok' }) },
})

const ready = operation(anyone, {
  method: 'get',
  path: '/readyz',
  operationId: 'getReadiness',
  summary: 'Whether the database is there as well, with its extension and all migrations',
  description: 'For a load balancer; 503 says what is missing. Needs no key.',
  tags,
  responses: { 200: json(Health, 'It does', { status: 'ok' }) },
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
