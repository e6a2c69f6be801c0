import { HttpClient, type Outcome } from '../http-client.ts'
import type { PoolName } from '../pools.ts'
import { adminKey } from '../service.ts'
import { textOf, uploadBody } from '../texts.ts'
import { owners, type World } from '../world.ts'

/** A kind of request, and the pools that it needs. */
export interface Kind {
  readonly name: string
  readonly pools: readonly PoolName[]
  send(client: HttpClient): Promise<Outcome>
}

/** The kind that a pool is muted for, and others that are witnesses. */
export type Kinds = Readonly<Record<PoolName | 'ownUser' | 'users' | 'alive', Kind>>

const [user] = owners
/** Longer than any time limit: what is never answered is to be seen. */
const patienceMs = 180_000

export const newClient = ({ url, tally }: World) => new HttpClient(url, tally, true, patienceMs)

/** One kind for each pool, which needs no other but `short`, where it is found out who asks; and others. */
export async function kindsFor(world: World) {
  const { probed, plots, keys } = world
  const widest = plots.at(-1)?.holding ?? probed
  const key = keys.get(user) ?? ''
  const admin = { key: adminKey }
  const upload = (client: HttpClient) => {
    const { textIds } = probed.newBatch(1)
    const body = uploadBody(textIds, probed.handle, probed.dimensions)
    return client.call('POST', probed.path('embeddings'), { ...admin, body })
  }
  const client = newClient(world)
  const kept = widest.newBatch(1).textIds
  const body = uploadBody(kept, widest.handle, widest.dimensions)
  await client.call('POST', widest.path('embeddings'), { ...admin, body })
  client.close()
  const vector = JSON.stringify({ vector: textOf('sought', probed.dimensions).vector })
  return {
    short: {
      name: 'embedding',
      pools: ['short'],
      send: (client) =>
        client.call(
          'GET',
          `${widest.path('embeddings')}?text_id=${kept.map(encodeURIComponent)}`,
          admin,
        ),
    },
    search: {
      name: 'search',
      pools: ['short', 'search'],
      send: (client) => client.call('POST', probed.path('similars'), { ...admin, body: vector }),
    },
    bulk: { name: 'upload', pools: ['short', 'bulk'], send: (client) => upload(client) },
    ownUser: {
      name: 'own user',
      pools: ['short'],
      send: (client) => client.call('GET', `/v1/users/${user}`, { key }),
    },
    users: {
      name: 'users',
      pools: ['short'],
      send: (client) => client.call('GET', '/v1/users', admin),
    },
    alive: { name: 'alive', pools: [], send: (client) => client.call('GET', '/livez', {}) },
  } satisfies Kinds
}
