import { expect, vi } from 'vitest'
import { modelOf } from '../../shared/model.ts'
import { adminKey, cacheLimits } from '../app.ts'
import { createClient } from '../client.ts'
import { waitUntil } from '../wait.ts'
import { startOwnService } from './own-service.ts'

/**
 * A service of its own with 500 vectors of one project in memory.
 * @returns it, and what its last search asked the cache for
 */
export async function startServiceInMemory(dimensions: number, newVector: () => number[]) {
  const service = await startOwnService({ cacheLimits })
  const client = createClient(service)
  const put = (path: string, body: object) => client('PUT', path, { key: adminKey, body })
  await put('/v1/users/ann', {})
  const model = modelOf(dimensions)
  await put('/v1/llm-services/ann/model', model)
  await put('/v1/projects/ann/texts', { instance_owner: 'ann', instance_handle: 'model' })
  const embeddings = Array.from({ length: 500 }, (_, at) => ({
    ...{ text_id: `t${at}`, vector: newVector() },
    ...{ instance_handle: 'model', vector_dim: dimensions },
  }))
  await client('POST', '/v1/embeddings/ann/texts', { key: adminKey, body: { embeddings } })
  const asked = vi.spyOn(service.vectorCache, 'nearest')
  const isInMemory = async () => {
    const body = { vector: newVector(), threshold: 0 }
    await client('POST', '/v1/similars/ann/texts', { key: adminKey, body })
    return (await asked.mock.results.at(-1)?.value) !== undefined
  }
  await waitUntil(isInMemory, 100)
  const [state, request] = asked.mock.calls.at(-1) ?? expect.fail()
  return { service, state, request }
}
