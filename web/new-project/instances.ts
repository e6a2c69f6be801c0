import type { Schemas } from '../../clients/typescript/src/client.ts'
import { isProvider, noEndpoint } from '../../src/db/endpoints.ts'
import { call } from '../call.ts'

/** A model as a form describes it. */
export interface Described {
  /** Empty if the server asks nobody. */
  readonly endpoint: string
  readonly standard: string
  readonly model: string
  readonly dimensions: number
  /** Empty if the provider needs none. */
  readonly providerKey: string
}

type Instance = Schemas['Instance']
export type Instances = { readonly instances: readonly Instance[] }

const bodyOf = ({ endpoint, standard, model, dimensions, providerKey }: Described) => ({
  ...{ endpoint: endpoint || noEndpoint, api_standard: standard, model, dimensions },
  ...(providerKey !== '' && { api_key_encrypted: providerKey }),
})

/** Only for a moment, so that a test touches no instance that projects use. */
const tested = 'being-tested'

/** Has a word embedded. @returns the dimensions of the vector */
export async function testModel(user: string, described: Described): Promise<number> {
  const path = `v1/llm-services/${user}/${tested}`
  await call<unknown>(path, { method: 'PUT', body: bodyOf({ ...described, dimensions: 1 }) })
  try {
    const { data } = await call<{ readonly dimensions: number }>(`${path}/test`, { method: 'POST' })
    return data.dimensions
  } finally {
    // What the test has found out counts more than what is left over, which the next test replaces.
    await call<unknown>(path, { method: 'DELETE' }).catch(() => undefined)
  }
}

/**
 * Finds the user's instance of this model, or makes one. No instance is changed, since projects may
 * use it.
 * @returns its handle
 */
export async function ownInstance(user: string, described: Described): Promise<string> {
  const { data } = await call<Instances>(`v1/llm-services/${user}`)
  const own = data.instances.filter(({ owner }) => owner === user)
  const same = own.find((each) => isSame(each, described))
  if (same !== undefined) return same.instance_handle
  const { model, dimensions } = described
  const usual = model.toLowerCase().replaceAll(/[^a-z0-9_-]+/g, '-')
  const name = usual.replace(/^[-_]+/, '').slice(0, 80) || 'model'
  const taken = new Set(own.map(({ instance_handle: handle }) => handle))
  const names = [name, ...Array.from({ length: 98 }, (_, at) => `${name}-${dimensions}-${at + 2}`)]
  const handle = names.find((each) => !taken.has(each))
  if (handle === undefined) throw new Error(`You have 99 instances of ${model} already.`)
  const path = `v1/llm-services/${user}/${handle}`
  await call<unknown>(path, { method: 'PUT', body: bodyOf(described) })
  return handle
}

/** A key that was typed may be another one than the stored key, which nobody can read. */
const isSame = (there: Instance, { endpoint, standard, model, ...typed }: Described) =>
  there.model === model &&
  there.dimensions === typed.dimensions &&
  typed.providerKey === '' &&
  (endpoint === ''
    ? !isProvider(there.endpoint)
    : there.endpoint === endpoint && there.api_standard === standard)
