import { LRUCache } from 'lru-cache'
import { ServiceError } from '../errors.ts'

const maxFailures = 5
const openMs = 30_000

interface Circuit {
  failures: number
  /** Until then it is not asked, in milliseconds of `performance.now()`. */
  openUntil: number
}

/**
 * Spares an endpoint that has failed some times in a row, and those who ask it the waiting. Of each instance by
 * itself: what fails for one, such as a model that is not there, need not fail for others.
 */
export class CircuitBreaker {
  /** Of the endpoints that failed last: anybody can name new ones. */
  readonly #circuits = new LRUCache<string, Circuit>({ max: 1_000 })

  /** @throws 503 while it is not to be asked */
  check(endpoint: string): void {
    const rest = (this.#circuits.get(endpoint)?.openUntil ?? 0) - performance.now()
    if (rest <= 0) return
    const seconds = Math.ceil(rest / 1000)
    throw new ServiceError(
      'unavailable',
      `The embedding provider has failed ${maxFailures} times in a row; it is asked again in ${seconds} s`,
      { retryAfter: seconds },
    )
  }

  succeeded(endpoint: string): void {
    this.#circuits.delete(endpoint)
  }

  /** After the pause one failure more is enough for another. */
  failed(endpoint: string): void {
    const circuit = this.#circuits.get(endpoint) ?? { failures: 0, openUntil: 0 }
    this.#circuits.set(endpoint, circuit)
    circuit.failures += 1
    if (circuit.failures >= maxFailures) circuit.openUntil = performance.now() + openMs
  }
}
