import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { joinNodes } from '../../shared/citus-nodes.ts'
import { isInstalled } from '../../shared/extensions.ts'
import { note } from '../../shared/time.ts'
import { commandFor, root } from '../../support/servers/daemon.ts'
import type { Outcome } from '../http-client.ts'
import { endOfLines } from '../judgements.ts'
import { type LoadOptions, startLoad } from '../load.ts'
import { type Cluster, Database } from '../postgres.ts'
import { expectRecovery } from '../recovery.ts'
import { type Context, type Mode, type Stage, settingsFor, withStage } from '../stage.ts'
import { readBack } from './kills.ts'

const settings = [
  'shared_preload_libraries=citus',
  'max_connections=300',
  'max_prepared_transactions=300',
  'wal_level=logical',
  // What a node had prepared when it died is committed, and only then seen, after a minute by default.
  'citus.recover_2pc_interval=1s',
]
/** Fewer than usual, for a quicker start; more than there are projects. */
const shards = 16
const longestLoadMs = 800
const shortestOutageMs = 1_000
const furtherOutageMs = 1_000
/** Large uploads, one at a time, of which one or two may fail late. */
const recoveryMs = 15_000
const patienceMs = 60_000
const pollMs = 50

const faults = ['worker', 'shard', 'coordinator'] as const
type Fault = (typeof faults)[number]

/** Nodes of a Citus cluster die and come back, and shards move, under load. */
export const citus: Mode = async (context) => {
  if (!isInstalled('citus', commandFor('initdb', []), root)) {
    note('citus: SKIPPED, since the PostgreSQL that was found has no extension citus')
    return
  }
  const nodes = await startNodes(context)
  const options = {
    database: nodes.database,
    settings: settingsFor(nodes.database),
    beforeStart: (service: Stage['service']) =>
      service.run(['migrate', '--distribute', '--shards', `${shards}`]),
  }
  await withStage(context, 'citus', options, async (stage) => {
    const { tally } = stage
    for (; tally.rounds < context.rounds; tally.endRound()) {
      await playRound(stage, nodes, faults[tally.rounds % faults.length] ?? 'worker')
    }
  })
}

/** A coordinator and two workers. */
interface Nodes {
  /** That of the coordinator, which has the same name on the workers. */
  readonly database: Database
  readonly workers: readonly Cluster[]
}

async function startNodes(context: Context): Promise<Nodes> {
  const coordinator = await context.cluster(settings)
  const workers = [await context.cluster(settings), await context.cluster(settings)]
  const database = await coordinator.newDatabase()
  await Promise.all(workers.map((worker) => worker.query(`create database ${database.name}`)))
  await joinNodes<Cluster>(coordinator, workers, (node, text) =>
    new Database(node, database.name).query(text),
  )
  return { database, workers }
}

async function playRound(stage: Stage, nodes: Nodes, fault: Fault): Promise<void> {
  const { random, world } = stage
  const { database } = nodes
  const { cluster: coordinator } = database
  const { worker, handles } = await chooseVictim(stage, nodes)
  const load = startLoad(world, random, {
    keepsCollections: fault !== 'coordinator',
    onOutcome: judgeOf(stage, fault, handles),
    // What a worker had prepared when it died is stored, and not seen before Citus has committed it.
    isExcused: ({ status }, handle) => fault === 'worker' && status === 404 && handles.has(handle),
  })
  await sleep(200 + random() * longestLoadMs)
  if (fault === 'shard') {
    const places = await placesIn(database)
    for (const { holding } of [world.plots[0], world.plots[3]].flatMap((plot) => plot ?? [])) {
      const place = places.find(({ handle }) => handle === holding.handle)
      if (place !== undefined) await move(nodes, place)
    }
  } else {
    const victim = fault === 'worker' ? worker : coordinator
    await victim.kill()
    await sleep(shortestOutageMs + random() * furtherOutageMs)
    await victim.start()
  }
  await expectRecovery(world, performance.now(), recoveryMs)
  await sleep(random() * longestLoadMs)
  await load.stop()
  await untilNonePrepared(nodes)
  await database.quiet()
  // Each may have one to a worker that has died since, of which Citus hears when it uses it next, however late.
  await coordinator.terminateBackends(await database.backends())
  await readBack(stage)
}

/**
 * Of a worker's fault nothing may be noticed by projects on the other one, and while a shard moves who tries once
 * more succeeds.
 * @param handles of the projects on the worker that dies
 */
function judgeOf({ tally }: Stage, fault: Fault, handles: ReadonlySet<string>) {
  const refusals = new Map<string, number>()
  const mostFor = (handle: string) => {
    if (fault === 'shard') return 1
    return fault === 'coordinator' || handles.has(handle) ? Number.POSITIVE_INFINITY : 0
  }
  const judge: LoadOptions['onOutcome'] = (outcome, what, handle) => {
    const { status } = endOfLines(outcome)
    const inRow = status === 503 ? (refusals.get(handle) ?? 0) + 1 : 0
    refusals.set(handle, inRow)
    const flaw = flawOf(outcome, inRow > mostFor(handle))
    if (flaw !== undefined) tally.violate('other violations', `${what}: ${flaw}`)
  }
  return judge
}

function flawOf({ status, reason, headers, body }: Outcome, isTooMany: boolean) {
  if (status === 0) return `no answer: ${reason}`
  if (status === 503 && headers['retry-after'] === undefined) return '503 without Retry-After'
  return isTooMany ? `503: ${JSON.stringify(body)}` : undefined
}

const Places = z.array(z.object({ handle: z.string(), shard: z.string(), port: z.number() }))
type Place = z.output<typeof Places>[number]

/** Where the embeddings of each project are. */
async function placesIn(database: Database): Promise<Place[]> {
  const rows = await database.query(`
    select project_handle as handle, shardid::text as shard, nodeport as port
    from projects, get_shard_id_for_distribution_column('embeddings', collection_id) as of_project
    join pg_dist_shard_placement on shardid = of_project`)
  return Places.parse(rows)
}

/** A shard goes where it is not, with all projects in it. */
async function move({ database, workers }: Nodes, { shard, port: from }: Place): Promise<void> {
  const to = workers.find(({ port }) => port !== from)?.port
  const nodes = `'127.0.0.1', ${from}, '127.0.0.1', ${to}`
  const text = `select citus_move_shard_placement(${shard}, ${nodes})`
  for (const deadline = Date.now() + patienceMs; ; await sleep(pollMs)) {
    const refusal = await database.query(text).then(() => '', String)
    if (refusal === '') return
    // What a move has left behind Citus removes by and by, and somebody may be reading it.
    if (!/could not be cleaned up/.test(refusal) || Date.now() > deadline) throw new Error(refusal)
  }
}

/**
 * A worker, and the projects that are there: that by which the service is probed, and of the others each worker
 * has at least one.
 */
async function chooseVictim({ random, world }: Stage, nodes: Nodes) {
  const worker = nodes.workers[random() < 0.5 ? 0 : 1]
  if (worker === undefined) throw new Error('there are no workers')
  const before = await placesIn(nodes.database)
  const ofProbed = before.find(({ handle }) => handle === world.probed.handle)
  if (ofProbed === undefined) throw new Error('the probed project has no place')
  const others = before.filter(({ shard }) => shard !== ofProbed.shard)
  if (ofProbed.port !== worker.port) await move(nodes, ofProbed)
  const [first] = others
  if (first !== undefined && others.every(({ port }) => port === first.port)) {
    await move(nodes, first)
  }
  const there = (await placesIn(nodes.database)).filter(({ port }) => port === worker.port)
  return { worker, handles: new Set(there.map(({ handle }) => handle)) }
}

/** Until Citus has ended whatever was prepared when a node died. */
async function untilNonePrepared({ database, workers }: Nodes): Promise<void> {
  const prepared = `select from pg_prepared_xacts where database = '${database.name}'`
  for (const deadline = Date.now() + patienceMs; ; await sleep(pollMs)) {
    const left = await Promise.all(workers.map((worker) => worker.query(prepared)))
    if (left.flat().length === 0) return
    if (Date.now() > deadline) throw new Error('prepared transactions are not ended')
  }
}
