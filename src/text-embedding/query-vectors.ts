import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Provider } from '../providers/provider.ts'
import type { Sealer } from '../secrets/sealing.ts'
import { vectorFromBase64, vectorToBase64 } from '../vectors/encoding.ts'

/** Who asks, and of which project: what is asked of one does not tell what was asked of another. */
interface Asking {
  readonly who: string
  readonly projectId: number
}

const maxCharacters = 32 * 2 ** 20

/**
 * The vectors of texts that were searched for, so that the same words cost a caller once. Each has their own: neither
 * the time of an answer nor what it cost may tell what others have asked. What was asked is kept as a hash, and its
 * vector sealed as a key is.
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

  /** When the instance is changed or deleted. */
  forget(instanceId: number): void {
    const own = prefixOf(instanceId)
    for (const key of this.#sealed.keys()) if (key.startsWith(own)) this.#sealed.delete(key)
  }
}

const prefixOf = (instanceId: number) => `query-vector:${instanceId}/`

/** Of all that the vector depends on, too: another process may have changed the instance. */
const keyOf = ({ who, projectId }: Asking, { key: _, ...provider }: Provider, text: string) =>
  prefixOf(provider.instanceId) + hash('sha256', JSON.stringify([who, projectId, provider, text]))
