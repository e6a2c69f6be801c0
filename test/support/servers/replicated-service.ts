import { expect } from 'vitest'
import { openPostgres } from '../../../src/db/postgres/engine.ts'
import type { AppDependencies } from '../../../src/server/app-dependencies.ts'
import { adminKey } from '../app.ts'
import { createClient } from '../client.ts'
import { waitUntil } from '../wait.ts'
import { startOwnService } from './own-service.ts'

const at = (port: number) => ({
  ...{ host: '127.0.0.1', port, user: 'postgres', password: '', database: 'postgres' },
  tls: { mode: 'disable' as const },
})

/** An app on the server at `primary` that may read from those at `replicas`. */
export async function startReplicated(
  primary: number,
  replicas: readonly number[],
  settings: Partial<AppDependencies> = {},
) {
  const open = async () => ({
    database: await openPostgres(at(primary), { replicas: replicas.map(at) }),
    place: undefined,
    drop: async () => {},
  })
  const service = await startOwnService(settings, true, open)
  const client = createClient(service)
  const { database } = service
  return {
    ...service,
    call: (method: string, path: string, body?: unknown, key = adminKey) =>
      client(method, path, { key, body }),
    /** What was read from replicas so far, and what from the primary instead. */
    sums() {
      const sum = (figure: 'reads' | 'behind' | 'failed') =>
        database.replicas().reduce((total, state) => total + state[figure], 0)
      return { reads: sum('reads'), behind: sum('behind'), failed: sum('failed') }
    },
    /** Until so many of its replicas are in use. */
    async uses(count: number) {
      const inUse = () => database.replicas().filter(({ leftOut }) => leftOut === undefined).length
      await waitUntil(() => inUse() === count, 20)
    },
  }
}

export type Replicated = Awaited<ReturnType<typeof startReplicated>>

/** A project `texts` of the user, of three dimensions. @returns the user's key */
export async function newTexts({ call }: Replicated, user: string): Promise<string> {
  const { body } = await call('PUT', `/v1/users/${user}`, {})
  const model = {
    ...{ endpoint: 'https://provider-a.example/v1/embeddings', api_standard: 'provider-a' },
    ...{ model: 'small', dimensions: 3 },
  }
  await call('PUT', `/v1/llm-services/${user}/model`, model)
  const project = { instance_owner: user, instance_handle: 'model' }
  expect((await call('PUT', `/v1/projects/${user}/texts`, project)).status).toBe(201)
  return body.api_key
}

export async function upload(
  { call }: Replicated,
  user: string,
  vectors: Readonly<Record<string, readonly number[]>>,
): Promise<void> {
  const embeddings = Object.entries(vectors).map(([text_id, vector]) => ({
    ...{ text_id, vector, metadata: { of: text_id } },
  }))
  const body = { instance_handle: 'model', vector_dim: 3, embeddings }
  const answer = await call('POST', `/v1/embeddings/${user}/texts?on_conflict=replace`, body)
  expect([200, 201]).toContain(answer.status)
}
