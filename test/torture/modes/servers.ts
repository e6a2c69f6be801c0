import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { HttpClient, succeeded } from '../http-client.ts'
import { findOrphans } from '../orphans.ts'
import { unrest, untilRight, uselessWork } from '../servers/calm.ts'
import { killBuilder, killOne } from '../servers/faults.ts'
import { IndexWatch } from '../servers/index-watch.ts'
import { faultsOf, listIndexes, listStored } from '../servers/indexes.ts'
import { Lane } from '../servers/lane.ts'
import { comparePages, type PagesSeen } from '../servers/pages.ts'
import { createUsers, type Pair, settingsOf, users, withPair } from '../servers/pair.ts'
import { compare, settle } from '../servers/settle.ts'
import { dimensions, instance, instanceOwner } from '../servers/vectors.ts'
import { adminKey } from '../service.ts'
import { type Context, type Mode, type PostgresStage, withStage } from '../stage.ts'
import type { Tally } from '../tally.ts'
import { instanceOf, owners } from '../world.ts'

const laneCount = 6
/** So large that no other project ever is: its index has to stay, whatever becomes of the others. */
const bystanderTexts = 2_500
const shortestLoadMs = 6_000
const furtherLoadMs = 6_000
/** Those that do not rest in a round. */
const workingShare = 0.7
const faults = ['kill in build', 'kill', 'none']
/** Longer than a server may leave the catalog unread when it hears of nothing. */
const longQuietMs = 70_000
const longQuietEvery = 4
const quietMs = 15_000
/** Before which both servers begin anew. */
const restartEvery = 2

/** Two servers on one database, which want the same indexes. */
export const servers: Mode = async (context) => {
  const cluster = await context.clusters.shared()
  await createUsers(cluster)
  const run = (stage: PostgresStage) =>
    withPair(context, stage, (pair) => runRounds(context, stage, pair))
  await withStage(context, 'servers', run, { settings: settingsOf(users[0]) })
}

interface Scene extends PostgresStage {
  readonly pair: Pair
  readonly sql: postgres.Sql
  readonly watch: IndexWatch
  readonly lanes: readonly Lane[]
  readonly bystander: Lane
  readonly pagesSeen: PagesSeen
}

/** With the instance of all projects. */
async function createOwners(url: string, tally: Tally): Promise<void> {
  const client = new HttpClient(url, tally)
  const put = async (path: string, body: object) => {
    const request = { key: adminKey, body: JSON.stringify(body) }
    const outcome = await client.call('PUT', path, request)
    if (!succeeded(outcome)) throw new Error(`PUT ${path}: ${outcome.status} ${outcome.reason}`)
  }
  for (const owner of owners) await put(`/v1/users/${owner}`, {})
  await put(`/v1/llm-services/${instanceOwner}/${instance}`, instanceOf(dimensions))
  client.close()
}

async function runRounds(context: Context, stage: PostgresStage, pair: Pair): Promise<void> {
  const { tally, random, cluster, database, service } = stage
  await createOwners(service.url, tally)
  const laneOf = (handle: string) =>
    new Lane(handle, pair, tally, randomNumbers(Math.floor(random() * 2 ** 32)))
  const lanes = Array.from({ length: laneCount }, (_, index) => laneOf(`p${index}`))
  const bystander = laneOf('still')
  await bystander.become(bystanderTexts)
  const sql = cluster.connect(database)
  const watch = new IndexWatch(sql)
  watch.start()
  try {
    const pagesSeen = { pages: 0, modesDiffer: 0 }
    const scene = { ...stage, pair, sql, watch, lanes, bystander, pagesSeen }
    await untilRight(sql, watch, performance.now(), tally)
    for (; tally.rounds < context.rounds; tally.endRound()) await round(scene, context)
  } finally {
    await watch.stop()
    await sql.end({ timeout: 1 })
  }
}

async function round(scene: Scene, { thorough }: Context): Promise<void> {
  const { tally, sql, watch, lanes, bystander, pair, random, cluster, database } = scene
  const all = [...lanes, bystander]
  const fault = faults[tally.rounds % faults.length]
  const begun = performance.now()
  await load(scene, fault === 'kill' ? () => killOne(pair, random) : async () => {})
  await compare(sql, all, pair, tally)
  await settle(lanes, random)
  if (fault === 'kill in build') await killBuilder(scene, pair)
  const since = performance.now()
  const took = await untilRight(sql, watch, since, tally)
  if (took !== undefined) tally.recoveries.push(took)
  complain(uselessWork(watch.lives, since, await listStored(sql)), tally)
  const isLong = thorough && tally.rounds % longQuietEvery === longQuietEvery - 1
  const quietSince = performance.now()
  if (tally.rounds % restartEvery === 0) await pair.restart()
  await sleep(isLong ? longQuietMs : quietMs)
  complain(unrest(watch.lives, quietSince), tally)
  complain(faultsOf(await listIndexes(sql), await listStored(sql)), tally)
  for (const lane of all) {
    await comparePages(pair, lane, `sought ${tally.rounds}`, tally, scene.pagesSeen)
  }
  await compare(sql, all, pair, tally)
  await findOrphans(cluster, database, tally)
  complain(await lossesOfBystander(scene, begun), tally)
  tally.remarks = remarksOf(scene)
}

/** Most lanes at once, while a server dies or does not. */
async function load({ lanes, random }: Scene, strike: () => Promise<void>): Promise<void> {
  let stopping = false
  const running = lanes
    .filter(() => random() < workingShare)
    .map((lane) => lane.run(() => !stopping))
  const struck = strike()
  await sleep(shortestLoadMs + random() * furtherLoadMs)
  await struck
  stopping = true
  await Promise.all(running)
}

/** Its index stays from the first round to the last. */
async function lossesOfBystander({ sql, watch, bystander }: Scene, begun: number) {
  const found = (await listStored(sql)).find(({ handle }) => handle === bystander.handle)
  return watch.lives
    .filter(({ index, until }) => index.key === found?.key && until !== undefined && until > begun)
    .map(({ index }) => `dropped though its project had not changed: ${index.name}`)
}

function complain(faults: readonly string[], tally: Tally): void {
  for (const fault of faults) tally.violate('other violations', fault)
}

const remarksOf = ({ watch, pair, pagesSeen }: Scene) => ({
  'servers killed': pair.kills,
  'indexes built': watch.lives.length,
  dropped: watch.lives.filter(({ until }) => until !== undefined).length,
  'pages compared': pagesSeen.pages,
  'found in two ways': pagesSeen.modesDiffer,
})
