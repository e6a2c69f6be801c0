import { expect } from 'vitest'
import { modelOf } from '../../shared/model.ts'
import { adminKey, type TestApp } from '../app.ts'
import { type Answer, createClient } from '../client.ts'
import type { Document } from '../data/indexed.ts'

/** Sends requests to a service of the test's own, as its administrator. */
export type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>

export function askerOf(service: Pick<TestApp, 'app' | 'document'>): Ask {
  const call = createClient(service)
  return (method, path, body) => call(method, path, { key: adminKey, body })
}

/** A project, as in `ann/texts`, with the instance `model` of its owner. */
export async function makeProject(
  ask: Ask,
  project: string,
  dimensions: number,
  fields: object = {},
): Promise<void> {
  const [owner] = project.split('/')
  await ask('PUT', `/v1/users/${owner}`, {})
  await ask('PUT', `/v1/llm-services/${owner}/model`, modelOf(dimensions))
  const body = { instance_owner: owner, instance_handle: 'model', ...fields }
  expect((await ask('PUT', `/v1/projects/${project}`, body)).status).toBe(201)
}

/** Uploads to a project, in batches that a body may have. */
export async function store(ask: Ask, project: string, documents: readonly Document[], query = '') {
  const vector_dim = documents[0]?.vector.length ?? 1
  const atOnce = Math.min(1_000, Math.ceil(200_000 / vector_dim))
  for (let start = 0; start < documents.length; start += atOnce) {
    const embeddings = documents.slice(start, start + atOnce)
    const body = { instance_handle: 'model', vector_dim, embeddings }
    const answer = await ask('POST', `/v1/embeddings/${project}${query}`, body)
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  }
}
