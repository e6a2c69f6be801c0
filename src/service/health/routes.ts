import { z } from '@hono/zod-openapi'
import { createRouter, operation } from '../../http/operation.ts'
import { anyone } from '../../http/permission.ts'
import { json } from '../../http/schemas.ts'

const Health = z.object({ status: z.literal('ok') }).openapi('Health')
const Readiness = z
  .object({
    status: z.literal('ok'),
    notes: z
      .array(z.string())
      .optional()
      .openapi({ description: 'What makes searches slower than they could be, if anything does.' }),
  })
  .openapi('Readiness')
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
  responses: { 200: json(Readiness, 'It does', { status: 'ok' }) },
})

/** @param notes what operators should know about searches */
export function healthRoutes(isReady: () => Promise<void>, notes: () => readonly string[]) {
  const router = createRouter()
  router.openapi(live, (c) => c.json({ status: 'ok' as const }, 200))
  router.openapi(ready, async (c) => {
    await isReady()
    const all = [...notes()]
    return c.json({ status: 'ok' as const, ...(all.length > 0 && { notes: all }) }, 200)
  })
  return router
}
