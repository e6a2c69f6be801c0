import { slowJson } from '../../http/json-answer.ts'
import { createRouter, operation } from '../../http/operation.ts'
import { admin } from '../../http/permission.ts'
import { json } from '../../http/schemas.ts'
import type { Log } from '../../log.ts'
import type { SanityCheck } from './sanity-check.ts'
import { reportExample, SanityReport } from './schemas.ts'

const checkSanity = operation(admin('service:watch'), {
  method: 'get',
  path: '/v1/admin/sanity-check',
  operationId: 'checkSanity',
  summary: 'Check all stored data',
  description:
    'Reads every embedding, in small portions between other requests, and changes nothing. A check that takes longer than 5 seconds sends white space before the JSON to keep the connection open. If it fails after that, the answer breaks off without a JSON body. The check ends when the client disconnects.',
  responses: { 200: json(SanityReport, 'The result of the check', reportExample) },
  errors: {
    403: 'Only the administrator may check the data',
    409: ['Another check is running', 'A sanity check is running already; wait for it to end'],
  },
})

export function sanityCheckRoutes(check: SanityCheck, log: Log) {
  const router = createRouter()
  router.openapi(checkSanity, (c) =>
    slowJson(c, check.run(c.req.raw.signal), (error) =>
      log.warn('sanity check broken off', { id: c.var.requestId, cause: error }),
    ),
  )
  return router
}
