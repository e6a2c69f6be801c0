import { expect } from 'vitest'
import { type Answer, createProject, request, type Server } from './server.ts'

export const providerKey = 'provider-secret'
export const putAnn = (server: Server) => request(server, 'PUT', '/v1/users/ann', {})
export const putProviderKey = (server: Server, key: string) =>
  request(server, 'PATCH', '/v1/llm-services/ann/model', { api_key_encrypted: key })

/**
 * The user `ann` of `createProject`, whose instance has a provider's key.
 * @returns what PUT of the user answers
 */
export async function createSecrets(server: Server): Promise<Answer> {
  await createProject(server, 3)
  expect(await putProviderKey(server, providerKey)).toMatchObject({ status: 200 })
  const ann = await putAnn(server)
  expect(ann.status).toBe(200)
  return ann
}
