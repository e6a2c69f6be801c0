import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Provider } from '../providers/request-formats.ts'

/**
 * Identifies a caller and a project. Cache entries are separate for each pair, so one reveals
 * nothing about another.
 */
interface Asking {
  readonly who: string
  readonly projectId: number
}

const maxBytes = 32 * 2 ** 20

/**
 * Caches the vectors of query texts, so that the same text costs a caller only once. Callers share
 * no entries: neither the time nor the cost of an answer may reveal what others have searched for.
 * Texts are kept as hashes. Vectors are copied, because a search may give its buffer to a thread.
 */
export class QueryVectors {
  readonly #vectors = new LRUCache<string, Float32Array>({
    maxSize: maxBytes,
    sizeCalculation: (vector, key) => vector.byteLength + key.length,
  })

  get(asking: Asking, provider: Provider, text: string): Float32Array | undefined {
    return this.#vectors.get(keyOf(asking, provider, text))?.slice()
  }

  set(asking: Asking, provider: Provider, text: string, vector: Float32Array): void {
    this.#vectors.set(keyOf(asking, provider, text), vector.slice())
  }

  /** Called when the instance is changed or deleted. */
  forget(instanceId: number): void {
    const own = prefixOf(instanceId)
    for (const key of this.#vectors.keys()) if (key.startsWith(own)) this.#vectors.delete(key)
  }
}

const prefixOf = (instanceId: number) => `query-vector:${instanceId}/`

/**
 * The key covers everything that the vector depends on, because another process may have changed
 * the instance.
 */
const keyOf = ({ who, projectId }: Asking, { key: _, ...provider }: Provider, text: string) =>
  prefixOf(provider.instanceId) + hash('sha256', JSON.stringify([who, projectId, provider, text]))
