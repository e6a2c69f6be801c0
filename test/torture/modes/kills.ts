import { setTimeout as sleep } from 'node:timers/promises'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { bun, node } from '../../support/servers/program.ts'
import { TcpProxy } from '../../support/servers/tcp-proxy.ts'
import { type Outcome, wasUnsent } from '../http-client.ts'
import { type LoadOptions, startLoad } from '../load.ts'
import { findOrphans } from '../orphans.ts'
import { expectRecovery } from '../recovery.ts'
import { type Context, embedded, type Mode, type Stage, withPostgres, withStage } from '../stage.ts'
import type { Tally } from '../tally.ts'
import { verify } from '../verify.ts'

const longestLoadMs = 800
const longestOutageMs = 1_500
/** In the first start the database is made, which is when these kills come. */
const firstStartMs = 5_000
const killsOfStart = 2
/** In so many rounds a new folder is begun with. */
const roundsInFolder = 10
const endBoundMs = 10_000
/** Of the COMMITs, until one was cut. */
const cutShare = 0.2
const cutPatienceMs = 30_000

/** Everything is read back when nothing is under way any more. */
export async function readBack({ database, world, tally }: Stage): Promise<void> {
  await database?.quiet()
  await verify(world)
  if (database !== undefined) await findOrphans(database, tally)
}

/** Rounds of a load with a fault in the middle of it. */
export async function playRounds(
  stage: Stage,
  rounds: number,
  strike: () => Promise<void>,
  options: LoadOptions = {},
): Promise<void> {
  const { tally, random, world } = stage
  for (; tally.rounds < rounds; tally.endRound()) {
    const load = startLoad(world, random, options)
    await sleep(20 + random() * longestLoadMs)
    await strike()
    await sleep(random() * longestLoadMs)
    await load.stop()
    await readBack(stage)
  }
}

async function startAgain({ service, world }: Stage): Promise<void> {
  const since = performance.now()
  await service.start()
  await expectRecovery(world, since, Number.POSITIVE_INFINITY)
}

/** @param before the next start */
async function killServer(stage: Stage, before = async () => {}): Promise<void> {
  await stage.service.end('SIGKILL')
  // What the killed one has sent is still carried out.
  await stage.database?.quiet('true')
  await before()
  await startAgain(stage)
}

/** SIGKILL of the server while it works. */
export const server: Mode = (context) =>
  withPostgres(context, 'server', (stage) =>
    playRounds(stage, context.rounds, () => killServer(stage)),
  )

/** A backend of the server dies: by kill -9, after which PostgreSQL restarts all, or by request. */
export const backend: Mode = (context) =>
  withPostgres(context, 'backend', (stage) => {
    const { random, database, world } = stage
    const { cluster } = database
    return playRounds(stage, context.rounds, async () => {
      const pids = await database.backends()
      const victim = pids[Math.floor(random() * pids.length)] ?? 0
      const dice = random()
      if (dice < 0.6) await cluster.killBackend(victim)
      else await cluster.terminateBackends(dice < 0.8 ? [victim] : pids)
      await expectRecovery(world, performance.now())
    })
  })

/** The whole PostgreSQL dies, is away for a while and starts again. */
export const postgres: Mode = (context) =>
  withPostgres(context, 'postgres', (stage) => {
    const { random, database, world } = stage
    return playRounds(stage, context.rounds, async () => {
      await database.cluster.kill()
      // Now and then so long that a back-off that grows would show.
      await sleep(random() < 0.05 ? 8_000 : random() * longestOutageMs)
      await database.cluster.start()
      await expectRecovery(world, performance.now())
    })
  })

/** A COMMIT as a query of its own: its type, its length, its text. */
const commitMessage = Buffer.from('Q\0\0\0\x0bcommit\0')

/** The connection to PostgreSQL is cut when a COMMIT passes: before it arrives, or before its answer. */
export const commit: Mode = async (context) => {
  const { port } = await context.cluster()
  const random = randomNumbers(context.seed + 1)
  let cuts = 0
  let isArmed = false
  const newJudge = () => (bytes: Buffer) => {
    if (!isArmed || !bytes.includes(commitMessage) || random() > cutShare) return 'pass'
    cuts += 1
    return random() < 0.5 ? 'drop' : 'drop the answer'
  }
  const proxy = await TcpProxy.to({ host: '127.0.0.1', port }, newJudge)
  const play = async (stage: Stage) => {
    await playRounds(stage, context.rounds, async () => {
      const before = cuts
      isArmed = true
      const deadline = Date.now() + cutPatienceMs
      while (cuts === before && Date.now() < deadline) await sleep(5)
      isArmed = false
      if (cuts === before) stage.tally.violate('other violations', 'nothing was cut')
    })
    stage.tally.remarks = { cuts }
  }
  await withPostgres(context, 'commit', play, { port: proxy.port })
  proxy.close()
}

/** SIGTERM under load: nothing that was begun is dropped, and the end comes in time. */
export const sigterm: Mode = async (context) => {
  for (const runtime of [node, bun]) {
    if (runtime.command === undefined) continue
    const mode = `sigterm on ${runtime.name}`
    await withPostgres(context, mode, (stage) => terminate(stage, context.rounds), { runtime })
    if (context.isShort) continue
    await withStage(context, `${mode}, embedded`, { settings: embedded, runtime }, (stage) =>
      terminate(stage, context.rounds),
    )
  }
}

async function terminate(stage: Stage, rounds: number): Promise<void> {
  const { tally, service } = stage
  let longest = 0
  let signalledAt = Number.POSITIVE_INFINITY
  const onOutcome = (outcome: Outcome, what: string) => {
    if (!isDropped(outcome, signalledAt)) return
    tally.violate('other violations', `${what} was dropped: ${outcome.reason}`)
  }
  const strike = async () => {
    signalledAt = performance.now()
    const exit = await service.end('SIGTERM')
    const took = performance.now() - signalledAt
    longest = Math.max(longest, took)
    if (exit !== 0) tally.violate('other violations', `the server ended with ${exit}`)
    if (took > endBoundMs) tally.violate('other violations', `the end took ${took} ms`)
    await startAgain(stage)
    signalledAt = Number.POSITIVE_INFINITY
  }
  await playRounds(stage, rounds, strike, { onOutcome })
  tally.remarks = { 'longest end ms': longest }
}

/** A connection opened after the signal may be refused; all else is to be answered. */
const isDropped = (outcome: Outcome, signalledAt: number) =>
  outcome.status === 0 && !wasUnsent(outcome) && (outcome.startedAt < signalledAt || outcome.reused)

/** SIGKILL of the server with its embedded database, also while it makes the database. */
export const embeddedServer: Mode = (context) =>
  killEmbedded(context, context.newTally('embedded'), () => ({ settings: embedded }))

/** What is done to the folder of a server that was killed. */
export interface EmbeddedOptions {
  readonly settings: Readonly<Record<string, string>>
  readonly afterKill?: () => void
}

/** @param optionsFor the folder of a server and its log */
export async function killEmbedded(
  context: Context,
  tally: Tally,
  optionsFor: (folder: string) => EmbeddedOptions,
): Promise<void> {
  const random = randomNumbers(context.seed)
  for (let number = 0; tally.rounds < context.rounds; number += 1) {
    const name = `${tally.mode}-${number}`
    const { settings, afterKill = () => {} } = optionsFor(name)
    const last = Math.min(context.rounds, tally.rounds + roundsInFolder)
    await withStage(
      context,
      name,
      {
        settings,
        tally,
        beforeStart: async (service) => {
          for (let kill = 0; kill < killsOfStart && tally.rounds < last; kill += 1) {
            service.spawn()
            await sleep(random() * firstStartMs)
            await service.end('SIGKILL')
            afterKill()
            tally.endRound()
          }
        },
      },
      (stage) => playRounds(stage, last, () => killServer(stage, async () => afterKill())),
    )
  }
}
