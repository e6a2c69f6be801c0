import { LRUCache } from 'lru-cache'
import { ServiceError } from '../errors.ts'

const maxFailures = 5
const openMs = 30_000

interface Circuit {
  failures: number
  /** No requests are sent before this time of `performance.now()`. */
  openUntil: number
}

/**
 * Stops asking an endpoint for a while after several failures in a row, which also spares its
 * callers the wait. Each instance has its own circuit: a failure of one, such as a missing model,
 * need not affect others.
 */
export class CircuitBreaker {
  /** Bounded, because anybody can add new endpoints. */
  readonly #circuits = new LRUCache<string, Circuit>({ max: 1_000 })

  /** @throws 503 during the pause */
  check(endpoint: string): void {
    const rest = (this.#circuits.get(endpoint)?.openUntil ?? 0) - performance.now()
    if (rest <= 0) return
    const seconds = Math.ceil(rest / 1000)
    throw new ServiceError(
      'unavailable',
      `The embedding provider has failed ${maxFailures} times in a row; it is asked again in ${seconds} s`,
      { retryAfter: seconds, sparesOthers: true },
    )
  }

  succeeded(endpoint: string): void {
    this.#circuits.delete(endpoint)
  }

  /** After the pause, a single failure is enough to start the next one. */
  failed(endpoint: string): void {
    const circuit = this.#circuits.get(endpoint) ?? { failures: 0, openUntil: 0 }
    this.#circuits.set(endpoint, circuit)
    circuit.failures += 1
    if (circuit.failures >= maxFailures) circuit.openUntil = performance.now() + openMs
  }
}
