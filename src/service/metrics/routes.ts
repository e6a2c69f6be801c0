import { z } from '@hono/zod-openapi'
import { createRouter, get } from '../../http/operation.ts'
import { admin, anyone } from '../../http/permission.ts'
import type { Metrics } from './metrics.ts'

const mediaType = 'text/plain'
const config = {
  operationId: 'getMetrics',
  summary: 'Metrics for Prometheus',
  description:
    'Requests by route and status with their durations; searches by mode and strategy; uploads; database connection pools; search indexes; stored users, projects, embeddings and bytes; event loop and memory. For the administrator, or for anyone with SERVICE_PUBLICMETRICS.',
  responses: {
    200: {
      description: 'Metrics in the text format, version 0.0.4',
      content: {
        [mediaType]: {
          schema: z.string(),
          example: 'semblance_searches_total{mode="exact",strategy="memory"} 42\n',
        },
      },
    },
  },
}

export function metricsRoutes(metrics: Metrics, isPublic: boolean) {
  const router = createRouter()
  const headers = { 'Content-Type': metrics.contentType }
  const route = get(isPublic ? anyone : admin('service:watch'), '/metrics', config)
  router.openapi(route, async (c) => c.body(await metrics.text(), 200, headers))
  return router
}
