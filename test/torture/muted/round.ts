import { setTimeout as sleep } from 'node:timers/promises'
import { succeeded } from '../http-client.ts'
import { type PoolName, pools } from '../pools.ts'
import type { PostgresStage } from '../stage.ts'
import type { World } from '../world.ts'
import type { Kinds } from './kinds.ts'
import type { Silence, Silencer } from './silencer.ts'
import { burst, startLane, startWitnesses, type Witnessed } from './traffic.ts'

/** A silent connection is given up when so much more than the statement's time limit has passed. */
const graceMs = 5_000
/** For a machine with too much to do. */
const slackMs = 2_000
const armedMs = 5_000
const pauseMs = 50

export interface Seen {
  readonly silences: Silence[]
  /** Requests of other kinds meanwhile. */
  readonly witnessed: Witnessed
}

export interface MutedStage extends PostgresStage {
  readonly world: World
  readonly silencer: Silencer
  readonly kinds: Kinds
  readonly seen: Seen
}

/** Some or all connections of a pool go silent while there are requests to it and to the others. */
export async function muteOnce(stage: MutedStage, pool: PoolName): Promise<void> {
  const { tally, kinds, seen, world, service } = stage
  const kind = kinds[pool]
  const { connections, statementMs } = pools[pool]
  // So that there are connections to be muted.
  await burst(world, kind, connections)
  const stopWitnesses = startWitnesses(world, Object.values(kinds), pool, seen.witnessed)
  const stopLane = startLane(world, kind, () => {})
  const asked = remember(burst(world, kind, 2 * connections))
  const { silences, since } = await silence(stage, pool, asked)
  const patienceMs = statementMs + graceMs + slackMs
  const isOver = () => asked.settled && silences.every(({ givenUp }) => givenUp !== undefined)
  while (!isOver() && performance.now() < since + patienceMs) await sleep(pauseMs)
  const failures = silences
    .filter(({ givenUp }) => givenUp === undefined)
    .map(
      ({ passed, withheld }) => `silent ${withheld} bytes before the end of ${passed + withheld}`,
    )
  if (!asked.settled) failures.push('a request without an answer')
  const again = remember(burst(world, kind, connections))
  await Promise.race([again.promise, sleep(slackMs)])
  if (!(await isAnswered(again))) failures.push('no connections for requests')
  else tally.recoveries.push(performance.now() - since)
  for (const failure of failures) {
    tally.violate('other violations', `${pool}, ${patienceMs / 1_000} s later: ${failure}`)
  }
  // As they are now: at the end of the server they are given up in any case.
  seen.silences.push(...silences.map((one) => ({ ...one })))
  await stopWitnesses()
  const laneEnds = stopLane()
  // The next round begins with a server that is well.
  if (failures.length > 0) {
    await service.kill()
    await service.start()
  }
  await Promise.all([laneEnds, asked.promise, again.promise])
}

/** @returns the connections that went silent, and when the last of them did */
async function silence(
  { silencer, random }: MutedStage,
  pool: PoolName,
  asked: { readonly settled: boolean },
): Promise<{ silences: readonly Silence[]; since: number }> {
  silencer.arm(pool, 1 + Math.floor(random() * pools[pool].connections))
  const until = performance.now() + armedMs
  while (silencer.left > 0 && !asked.settled && performance.now() < until) await sleep(pauseMs)
  silencer.disarm()
  const { silences } = silencer
  if (silences.length === 0) throw new Error(`no connection of '${pool}' went silent`)
  return { silences, since: Math.max(...silences.map((one) => one.since)) }
}

interface Remembered<T> {
  readonly promise: Promise<T>
  settled: boolean
}

function remember<T>(promise: Promise<T>): Remembered<T> {
  const remembered = { promise, settled: false }
  void promise.then(() => {
    remembered.settled = true
  })
  return remembered
}

const isAnswered = async ({ promise, settled }: Remembered<Parameters<typeof succeeded>[0][]>) =>
  settled && (await promise).every(succeeded)
