import { expect, vi } from 'vitest'
import { cacheLimits } from '../app.ts'
import { waitUntil } from '../wait.ts'
import { askerOf, makeProject, store } from './own-projects.ts'
import { startOwnService } from './own-service.ts'

/**
 * A service of its own with 500 vectors of one project in memory.
 * @returns it, and what its last search asked the cache for
 */
export async function startServiceInMemory(dimensions: number, newVector: () => number[]) {
  const service = await startOwnService({ cacheLimits })
  const ask = askerOf(service)
  await makeProject(ask, 'ann/texts', dimensions)
  const documents = Array.from({ length: 500 }, (_, at) => ({
    ...{ text_id: `t${at}`, vector: newVector() },
  }))
  await store(ask, 'ann/texts', documents)
  const asked = vi.spyOn(service.vectorCache, 'nearest')
  const isInMemory = async () => {
    const body = { vector: newVector(), threshold: 0 }
    await ask('POST', '/v1/similars/ann/texts', body)
    return (await asked.mock.results.at(-1)?.value) !== undefined
  }
  await waitUntil(isInMemory, 100)
  const [state, request] = asked.mock.calls.at(-1) ?? expect.fail()
  return { service, state, request }
}
