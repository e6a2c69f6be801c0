import { z } from '@hono/zod-openapi'
import { createRouter, get } from '../../http/operation.ts'
import { anyone } from '../../http/permission.ts'
import { json } from '../../http/schemas.ts'

const Health = z.object({ status: z.literal('ok') }).openapi('Health')
const Readiness = z
  .object({
    status: z.literal('ok'),
    notes: z.array(z.string()).optional().describe('Why searches are slower than they could be.'),
  })
  .openapi('Readiness')

const live = get(anyone, '/livez', {
  operationId: 'getLiveness',
  summary: 'Check that the process responds',
  description: 'For a supervisor that restarts hung processes. Does not use the database.',
  responses: { 200: json(Health, 'The process responds', { status: 'ok' }) },
})

const ready = get(anyone, '/readyz', {
  operationId: 'getReadiness',
  summary: 'Check that the database is ready',
  description:
    "For load balancers. Also checks the database's extension and migrations; a 503 says what is missing.",
  responses: { 200: json(Readiness, 'The service is ready', { status: 'ok' }) },
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
