import { expect } from 'vitest'
import type { AppDependencies } from '../../../src/server/app-dependencies.ts'
import { modelOf } from '../../shared/model.ts'
import { createClient } from '../client.ts'
import { askerOf } from './own-projects.ts'
import { startOwnService } from './own-service.ts'

/** A service of its own with a user `ann`, who has this key, and whose instance is called `model`. */
export async function startServiceOfAnn(
  settings: Partial<AppDependencies> = {},
  dimensions = 3,
  open?: Parameters<typeof startOwnService>[2],
) {
  const service = await startOwnService(settings, true, open)
  const call = createClient(service)
  /** As the administrator. */
  const send = askerOf(service)
  async function put(path: string, body: object = {}) {
    expect((await send('PUT', path, body)).status, path).toBe(201)
  }
  const addProject = (handle: string, fields: object = {}) =>
    put(`/v1/projects/ann/${handle}`, {
      ...{ instance_owner: 'ann', instance_handle: 'model' },
      ...fields,
    })
  const upload = (handle: string, embeddings: readonly object[], query = '') =>
    send('POST', `/v1/embeddings/ann/${handle}${query}`, { embeddings })
  const { body: ann } = await send('PUT', '/v1/users/ann', {})
  await put('/v1/llm-services/ann/model', modelOf(dimensions))
  return { ...service, key: String(ann.api_key), call, send, put, addProject, upload }
}

export type ServiceOfAnn = Awaited<ReturnType<typeof startServiceOfAnn>>
