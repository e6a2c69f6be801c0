import type { Context } from 'hono'
import { setMetric } from 'hono/timing'
import type {
  BudgetLeft,
  EmbeddedTexts,
  GrantedProject,
  TextRequest,
} from '../access/granted-project.ts'
import type { Requester } from '../concurrency/limiter.ts'
import type { ClientAddress } from './client-address.ts'
import { longWaitMs } from './operation.ts'
import { requesterOf } from './requester.ts'

/**
 * Returns the vectors of texts, in their order.
 * @param tells whether the answer's headers report time and budget; false if the answer has begun
 */
export type TextVectors = (
  c: Context,
  granted: GrantedProject,
  texts: readonly string[],
  tells?: boolean,
) => Promise<readonly Float32Array[]>

export const textVectors =
  (
    embed: (
      request: TextRequest,
      texts: readonly string[],
      requester: Requester,
    ) => Promise<EmbeddedTexts>,
    clientAddress: ClientAddress,
  ): TextVectors =>
  async (c, { caller, relations, project }, texts, tells = true) => {
    const request = { project, caller, relations, address: clientAddress(c) }
    const start = performance.now()
    const { vectors, left } = await embed(request, texts, requesterOf(c.req, project.owner, caller))
    // The provider may take minutes, and the rights may have been taken away meanwhile.
    const grantAgain: () => Promise<unknown> = c.get('grantAgain')
    if (performance.now() - start > longWaitMs) await grantAgain()
    if (!tells) return vectors
    setMetric(c, 'provider', performance.now() - start)
    if (left.length > 0) c.header('RateLimit', left.map(budgetItem).join(', '), { append: true })
    return vectors
  }

/** The format of draft-ietf-httpapi-ratelimit-headers. */
const budgetItem = ({ name, rest, seconds }: BudgetLeft) => `"${name}";r=${rest};t=${seconds}`

/** The errors of an operation that has texts embedded. */
export const providerErrors = {
  502: [
    'The embedding provider refused the text, failed or answered something else than its vector',
    'The embedding provider answered 401: Incorrect API key provided',
  ],
  504: [
    'The embedding provider did not answer in time',
    'The embedding provider did not answer within 20 s',
  ],
} as const
