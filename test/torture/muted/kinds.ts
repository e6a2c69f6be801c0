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

const [user] = owners
/** Longer than any time limit: what is never answered is to be seen. */
const patienceMs = 180_000

export const newClient = ({ url, tally }: World) => new HttpClient(url, tally, true, patienceMs)

/** One kind for each pool, which needs no other but `access`; the last needs not even that. */
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
    access: {
      name: 'own user',
      pools: ['access', 'short'],
      send: (client) => client.call('GET', `/v1/users/${user}`, { key }),
    },
    short: {
      name: 'embedding',
      pools: ['access', 'short'],
      send: (client) =>
        client.call(
          'GET',
          `${widest.path('embeddings')}?text_id=${kept.map(encodeURIComponent)}`,
          admin,
        ),
    },
    search: {
      name: 'search',
      pools: ['access', 'search'],
      send: (client) => client.call('POST', probed.path('similars'), { ...admin, body: vector }),
    },
    bulk: { name: 'upload', pools: ['access', 'bulk'], send: (client) => upload(client) },
    none: {
      name: 'users',
      pools: ['short'],
      send: (client) => client.call('GET', '/v1/users', admin),
    },
  } satisfies Readonly<Record<PoolName | 'none', Kind>>
}
