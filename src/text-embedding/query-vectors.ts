import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Provider } from '../providers/provider.ts'
import type { Sealer } from '../secrets/sealing.ts'
import { vectorFromBase64, vectorToBase64 } from '../vectors/encoding.ts'

/**
 * Identifies a caller and a project. Cache entries are separate for each pair, so one reveals
 * nothing about another.
 */
interface Asking {
  readonly who: string
  readonly projectId: number
}

const maxCharacters = 32 * 2 ** 20

/**
 * Caches the vectors of query texts, so that the same text costs a caller only once. Callers share
 * no entries: neither the time nor the cost of an answer may reveal what others have searched for.
 * Texts are kept as hashes, and vectors are sealed as keys are.
 */
export class QueryVectors {
  readonly #sealer: Sealer
  readonly #sealed = new LRUCache<string, string>({
    maxSize: maxCharacters,
    sizeCalculation: (sealed, key) => sealed.length + key.length,
  })

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  get(asking: Asking, provider: Provider, text: string): Float32Array | undefined {
    const key = keyOf(asking, provider, text)
    const sealed = this.#sealed.get(key)
    return sealed === undefined ? undefined : vectorFromBase64(this.#sealer.open(sealed, key))
  }

  set(asking: Asking, provider: Provider, text: string, vector: Float32Array): void {
    const key = keyOf(asking, provider, text)
    this.#sealed.set(key, this.#sealer.seal(vectorToBase64(vector), key))
  }

  /** Called when the instance is changed or deleted. */
  forget(instanceId: number): void {
    const own = prefixOf(instanceId)
    for (const key of this.#sealed.keys()) if (key.startsWith(own)) this.#sealed.delete(key)
  }
}

const prefixOf = (instanceId: number) => `query-vector:${instanceId}/`

/**
 * The key covers everything that the vector depends on, because another process may have changed
 * the instance.
 */
const keyOf = ({ who, projectId }: Asking, { key: _, ...provider }: Provider, text: string) =>
  prefixOf(provider.instanceId) + hash('sha256', JSON.stringify([who, projectId, provider, text]))
