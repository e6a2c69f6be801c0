import { setTimeout as sleep } from 'node:timers/promises'
import type { Holding } from './holding.ts'
import { HttpClient, isUnknown, type Outcome, succeeded } from './http-client.ts'
import { adminKey } from './service.ts'
import { textOf, uploadBody } from './texts.ts'
import type { World } from './world.ts'

const patienceMs = 60_000
const pauseMs = 20
/** The first 2xx of each kind of request comes within this of the database being ready again. */
const boundMs = 2_000
/** And of the projects that are uploaded to: large uploads, one at a time, of which one or two may fail late. */
const boundOfAllMs = 15_000

type Probe = (client: HttpClient, probed: Holding) => Promise<Outcome>

const list: Probe = (client, probed) =>
  client.call('GET', `${probed.path('embeddings')}?limit=1`, { key: adminKey })

const search: Probe = (client, probed) => {
  const body = JSON.stringify({ vector: textOf('probe', probed.dimensions).vector })
  return client.call('POST', probed.path('similars'), { key: adminKey, body })
}

const upload: Probe = async (client, probed) => {
  const batch = probed.newBatch(2)
  const body = uploadBody(batch.textIds, probed.handle, probed.dimensions)
  const outcome = await client.call('POST', probed.path('embeddings'), { key: adminKey, body })
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
export async function untilSuccess({ url, tally, probed }: World): Promise<number> {
  const deadline = performance.now() + patienceMs
  const succeeding = probes.map(async (probe) => {
    const client = new HttpClient(url, tally)
    while (!succeeded(await probe(client, probed))) {
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
 * @param readyAt when what had failed was there again
 * @param all when all projects were served
 */
export async function expectRecovery(
  world: World,
  readyAt: number,
  all?: Promise<number>,
): Promise<void> {
  const { tally } = world
  const served = await Promise.all([untilSuccess(world), all ?? 0])
  const recovery = Math.max(0, Math.max(...served) - readyAt)
  tally.recoveries.push(recovery)
  if (recovery <= (all === undefined ? boundMs : boundOfAllMs)) return
  tally.violate('other violations', `the server took ${recovery.toFixed(0)} ms to recover`)
}
