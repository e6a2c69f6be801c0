import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Project } from '../access/project.ts'
import type { Provider } from '../providers/provider.ts'
import type { Sealer } from '../secrets/sealing.ts'
import { vectorFromBase64, vectorToBase64 } from '../vectors/encoding.ts'

const maxCharacters = 32 * 2 ** 20

/**
 * The vectors of texts that were searched for, so that the same words cost once. What was asked is kept as a
 * hash, and its vector sealed as a key is.
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

  get(project: Project, provider: Provider, text: string): Float32Array | undefined {
    const key = keyOf(project, provider, text)
    const sealed = this.#sealed.get(key)
    return sealed === undefined ? undefined : vectorFromBase64(this.#sealer.open(sealed, key))
  }

  set(project: Project, provider: Provider, text: string, vector: Float32Array): void {
    const key = keyOf(project, provider, text)
    this.#sealed.set(key, this.#sealer.seal(vectorToBase64(vector), key))
  }

  /** When the instance is changed or deleted. */
  forget(instanceId: number): void {
    const own = prefixOf(instanceId)
    for (const key of this.#sealed.keys()) if (key.startsWith(own)) this.#sealed.delete(key)
  }
}

const prefixOf = (instanceId: number) => `query-vector:${instanceId}/`

/**
 * Of all that the vector depends on: another process may have changed the instance. And of the project: what
 * is asked of one does not tell what was asked of another.
 */
const keyOf = ({ projectId }: Project, { key: _, ...provider }: Provider, text: string) =>
  prefixOf(provider.instanceId) + hash('sha256', JSON.stringify([projectId, provider, text]))
