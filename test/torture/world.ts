import { Holding } from './holding.ts'
import { HttpClient, succeeded } from './http-client.ts'
import { adminKey } from './service.ts'
import type { Tally } from './tally.ts'

/** The two who own the projects by turns, and the one with whom they share them. */
export const owners = ['ann', 'bob'] as const
export const friend = 'cat'

/** Dimensions of the projects, the most texts of each, and the largest batch. */
const shapes = [
  { dimensions: 8, most: 200, batch: 100 },
  { dimensions: 64, most: 120, batch: 60 },
  { dimensions: 384, most: 80, batch: 30 },
  { dimensions: 1536, most: 50, batch: 40 },
] as const

export type Shape = (typeof shapes)[number]

export interface Plot {
  readonly holding: Holding
  readonly shape: Shape
}

/** Users with their keys, and the projects of the workers. */
export interface World {
  readonly url: string
  readonly tally: Tally
  readonly keys: ReadonlyMap<string, string>
  readonly plots: readonly Plot[]
  /** A project that no worker changes; it is asked whether the server is well. */
  readonly probed: Holding
}

export const holdingsOf = ({ plots, probed }: World) => [
  probed,
  ...plots.map(({ holding }) => holding),
]

/** @throws when anything of it is refused */
export async function createWorld(url: string, tally: Tally): Promise<World> {
  const client = new HttpClient(url, tally)
  const put = async (path: string, body: object) => {
    const outcome = await client.call('PUT', path, { key: adminKey, body: JSON.stringify(body) })
    if (!succeeded(outcome)) throw new Error(`PUT ${path}: ${outcome.status} ${outcome.reason}`)
    return outcome.body
  }
  const keys = new Map<string, string>()
  for (const user of [...owners, friend]) keys.set(user, keyIn(await put(`/v1/users/${user}`, {})))
  const hold = async (handle: string, dimensions: number) => {
    await put(`/v1/llm-services/${owners[0]}/${handle}`, instanceOf(dimensions))
    const holding = new Holding(handle, dimensions, owners[0])
    await put(holding.path('projects'), { instance_owner: owners[0], instance_handle: handle })
    return holding
  }
  const plots: Plot[] = []
  for (const shape of shapes) {
    plots.push({ shape, holding: await hold(`d${shape.dimensions}`, shape.dimensions) })
  }
  const probed = await hold('probed', 3)
  client.close()
  return { url, tally, keys, plots, probed }
}

export const instanceOf = (dimensions: number) => ({
  endpoint: 'https://provider-a.example/v1/embeddings',
  api_standard: 'provider-a',
  model: 'tortured',
  dimensions,
})

export function keyIn(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'api_key' in body) return String(body.api_key)
  throw new Error('a user came without a key')
}
