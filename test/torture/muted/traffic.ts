import { setTimeout as sleep } from 'node:timers/promises'
import { type Outcome, succeeded } from '../http-client.ts'
import type { PoolName } from '../pools.ts'
import type { World } from '../world.ts'
import { type Kind, newClient } from './kinds.ts'

const pauseMs = 40

/** Sends so many requests at the same time. */
export async function burst(world: World, kind: Kind, size: number): Promise<Outcome[]> {
  const clients = Array.from({ length: size }, () => newClient(world))
  const outcomes = await Promise.all(clients.map((client) => kind.send(client)))
  for (const client of clients) client.close()
  return outcomes
}

/** Sends one after another. @returns what ends it once the last is answered */
export function startLane(world: World, kind: Kind, onOutcome: (outcome: Outcome) => void) {
  let stopping = false
  const run = async () => {
    const client = newClient(world)
    for (; !stopping; await sleep(pauseMs)) onOutcome(await kind.send(client))
    client.close()
  }
  const running = run()
  return () => {
    stopping = true
    return running
  }
}

export interface Witnessed {
  requests: number
  longestMs: number
}

/** Requests that do not need a pool, all the time: each of them must succeed. */
export function startWitnesses(
  world: World,
  kinds: readonly Kind[],
  without: PoolName,
  witnessed: Witnessed,
) {
  const stops = kinds
    .filter(({ pools }) => !pools.includes(without))
    .map((kind) =>
      startLane(world, kind, (outcome) => {
        witnessed.requests += 1
        const ms = performance.now() - outcome.startedAt
        witnessed.longestMs = Math.max(witnessed.longestMs, ms)
        if (succeeded(outcome)) return
        const text = `${outcome.status} ${outcome.reason} of '${kind.name}', while ${without} was muted`
        world.tally.violate('other violations', text)
      }),
    )
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}
