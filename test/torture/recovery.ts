import { setTimeout as sleep } from 'node:timers/promises'
import { HttpClient, isUnknown, type Outcome, succeeded } from './http-client.ts'
import { textOf, uploadBody } from './texts.ts'
import type { Holding, World } from './world.ts'

const patienceMs = 60_000
const pauseMs = 20
/** The first 2xx of each kind of request comes within this of the database being ready again. */
const boundMs = 2_000

type Probe = (client: HttpClient, probed: Holding, key: string) => Promise<Outcome>

const list: Probe = (client, probed, key) =>
  client.call('GET', `${probed.path('embeddings')}?limit=1`, { key })

const search: Probe = (client, probed, key) => {
  const body = { vector: textOf('probe', probed.dimensions).vector }
  return client.call('POST', probed.path('similars'), { key, body })
}

const upload: Probe = async (client, probed, key) => {
  const batch = probed.newBatch(2)
  const body = uploadBody(batch.textIds, probed.handle, probed.dimensions)
  const outcome = await client.call('POST', probed.path('embeddings'), { key, body })
  if (succeeded(outcome)) probed.keep(batch)
  else if (isUnknown(outcome)) probed.unknown.push(batch)
  return outcome
}

/** The server's pools of connections recover one by one; there is a request to each of them. */
const probes = [list, search, upload]

/**
 * Asks until every kind of request has succeeded that was sent from now on.
 * @returns when the last kind first did, as `performance.now()` says it
 */
async function untilSuccess({ url, tally, probed, adminKey }: World): Promise<number> {
  const deadline = performance.now() + patienceMs
  const succeeding = probes.map(async (probe) => {
    const client = new HttpClient(url, tally)
    while (!succeeded(await probe(client, probed, adminKey))) {
      if (performance.now() > deadline) throw new Error('the server does not recover')
      await sleep(pauseMs)
    }
    client.close()
    return performance.now()
  })
  return Math.max(...(await Promise.all(succeeding)))
}

/**
 * Waits until the service answers again, and notes how long it took.
 * @param since when it could be there again at the earliest
 */
export async function expectRecovery(world: World, since: number, bound = boundMs): Promise<void> {
  const { tally } = world
  const recovery = Math.max(0, (await untilSuccess(world)) - since)
  tally.recoveries.push(recovery)
  if (recovery <= bound) return
  tally.violate('other violations', `the server took ${recovery.toFixed(0)} ms to recover`)
}
