import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../../shared/percentiles.ts'
import { bun, node, type Runtime } from '../../support/servers/program.ts'
import { Crowd } from '../crowd.ts'
import { HttpClient } from '../http-client.ts'
import { adminKey } from '../service.ts'
import { type Context, type Mode, withWorld } from '../stage.ts'
import type { Tally } from '../tally.ts'
import { textOf, uploadBody } from '../texts.ts'
import type { World } from '../world.ts'

const texts = 200
const searchers = 4
/** Node's header timeout, the interval at which Node looks, and time to spare. */
const headerTimeoutMs = 15_000 + 5_000 + 10_000
/** After this long at least one slow body was due to be refused. */
const slowBodyMs = 30_000
const refused = 'HTTP/1.1 408 Request Timeout'

/** Idle connections and bodies that are too slow are held open while others search. */
export const crowd: Mode = async (context) => {
  for (const runtime of [node, bun]) {
    if (runtime.command !== undefined) await on(runtime, context)
  }
}

const on = (runtime: Runtime, context: Context) =>
  withWorld(
    context,
    `crowd on ${runtime.name}`,
    async ({ tally, world }) => {
      const { idle, slow, searches } = context.crowd
      await fill(world)
      await searchAll(world, searches)
      const alone = await searchAll(world, searches)
      const present = await Crowd.gather(world, { idle, slow })
      const crowded = await searchAll(world, searches)
      const held = present.open
      tally.rounds = 1
      tally.remarks = {
        idle,
        slow,
        'still open after the searches': held,
        'p50 ms alone': quantile(alone, 0.5) ?? Number.NaN,
        'p50 ms in the crowd': quantile(crowded, 0.5) ?? Number.NaN,
        'p99 ms alone': quantile(alone, 0.99) ?? Number.NaN,
        'p99 ms in the crowd': quantile(crowded, 0.99) ?? Number.NaN,
      }
      if (context.thorough) await closed(present, tally)
      present.leave()
      judgeSlow(present, tally)
    },
    { runtime },
  )

async function closed(present: Crowd, tally: Tally): Promise<void> {
  for (const deadline = Date.now() + headerTimeoutMs; present.idleOpen > 0; await sleep(100)) {
    if (Date.now() < deadline) continue
    tally.violate('other violations', `${present.idleOpen} idle connections were never closed`)
    break
  }
  tally.remarks = { ...tally.remarks, 'all idle closed after s': present.age() / 1_000 }
}

/** A body at a byte in 100 ms is answered 408, and nothing else. */
function judgeSlow(present: Crowd, tally: Tally): void {
  const { answers } = present
  for (const answer of answers.filter((line) => line !== refused)) {
    tally.violate('other violations', `a slow body got '${answer}'`)
  }
  if (answers.length === 0 && present.age() > slowBodyMs) {
    tally.violate('other violations', 'no slow body was ever refused')
  }
  tally.remarks = { ...tally.remarks, 'slow bodies refused with 408': answers.length }
}

async function fill({ url, tally, probed }: World): Promise<void> {
  const client = new HttpClient(url, tally)
  const batch = probed.newBatch(texts)
  const body = uploadBody(batch.textIds, probed.handle, probed.dimensions)
  const { status } = await client.call('POST', probed.path('embeddings'), { key: adminKey, body })
  if (status !== 201) throw new Error(`an upload was answered ${status}`)
  client.close()
}

/** @returns how long the searches took, in ascending order */
async function searchAll({ url, tally, probed }: World, count: number): Promise<number[]> {
  const took: number[] = []
  const body = JSON.stringify({ vector: textOf('asked', probed.dimensions).vector })
  const search = async () => {
    const client = new HttpClient(url, tally)
    for (let left = count / searchers; left > 0; left -= 1) {
      const path = probed.path('similars')
      const outcome = await client.call('POST', path, { key: adminKey, body })
      took.push(performance.now() - outcome.startedAt)
      if (outcome.status !== 200) {
        tally.violate('other violations', `a search: ${outcome.status} ${outcome.reason}`)
      }
    }
    client.close()
  }
  await Promise.all(Array.from({ length: searchers }, search))
  return took.toSorted((a, b) => a - b)
}
