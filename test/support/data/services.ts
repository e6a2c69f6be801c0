import { modelOf } from '../../shared/model.ts'
import { call } from '../client.ts'
import { newUser } from '../factories.ts'
import { unstorable } from './refusals.ts'

/** The fields that definitions and instances have in common. */
export const service = modelOf()

/** For each of the fields, what is refused whether the field is required or not. */
export const badService = {
  endpoint: ['', 5, 'provider-a.example', 'ftp://a.example', 'https://u@a.example', ...unstorable],
  description: [5, [], 'd'.repeat(10_001), ...unstorable],
  api_standard: ['', 5, 'no-such-standard', 'Provider-A', ...unstorable],
  model: ['', 5, 'm'.repeat(256), ...unstorable],
  dimensions: [0, -1, 16_001, 1.5, '3', true, 2 ** 53],
}

/** A new user, and functions that PUT and GET his instance `model`. */
export async function newcomer() {
  const user = await newUser()
  const { handle, key } = user
  const path = (instance: string) => `/v1/llm-services/${handle}/${instance}`
  return {
    user,
    put: (body: object, instance = 'model') => call('PUT', path(instance), { key, body }),
    get: async () => (await call('GET', path('model'), { key })).body,
  }
}
