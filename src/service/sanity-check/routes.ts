import { createRouter, get } from '../../http/operation.ts'
import { admin } from '../../http/permission.ts'
import { json } from '../../http/schemas.ts'
import type { SanityCheck } from './sanity-check.ts'
import { reportExample, SanityReport } from './schemas.ts'

const checkSanity = get(admin('service:watch'), '/v1/admin/sanity-check', {
  operationId: 'checkSanity',
  summary: 'Check all stored data',
  description:
    'Reads every embedding, in small portions between other requests, and changes nothing. It takes minutes for millions of embeddings, which is longer than most proxies wait. It ends when the client disconnects.',
  responses: { 200: json(SanityReport, 'The result of the check', reportExample) },
  errors: {
    403: 'Only the administrator may check the data',
    409: ['Another check is running', 'A sanity check is running already; wait for it to end'],
  },
})

export function sanityCheckRoutes(check: SanityCheck) {
  const router = createRouter()
  router.openapi(checkSanity, async (c) => c.json(await check.run(c.req.raw.signal), 200))
  return router
}
