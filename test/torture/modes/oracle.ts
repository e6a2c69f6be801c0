import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { note } from '../../shared/time.ts'
import { node } from '../../support/servers/program.ts'
import { Dice } from '../oracle/dice.ts'
import { type Extent, playRound } from '../oracle/round.ts'
import { onPostgres, Service } from '../service.ts'
import { type Context, type Mode, type PostgresStage, withEmbedded, withStage } from '../stage.ts'

const long: Extent = { phases: 5, steps: 120, mostComponents: 2_000_000, restMs: 12_000 }
const brief: Extent = { phases: 2, steps: 50, mostComponents: 500_000, restMs: 5_000 }

/**
 * Compares every answer with what a model in memory says. Each round has a seed of its own, and even
 * ones are of the embedded database: `--seed=S --rounds=1 --minutes=0` is that round again.
 */
export const oracle: Mode = async (context) => {
  const until = performance.now() + context.minutes * 60_000
  for (let round = 0; round < context.rounds || performance.now() < until; round += 1) {
    const seed = context.seed + round
    await (seed % 2 === 0 ? onEmbedded : onTwoServers)(context, seed)
    note(`oracle: seed ${seed} is done`)
  }
}

/** Of which small projects are large ones, and in some rounds memory has no room for all of them. */
const settingsOf = (dice: Dice) => ({
  SERVICE_EXACTBUDGET: `${dice.whole(50_000, 300_000)}`,
  SERVICE_VECTORMEMORY: `${dice.of([1_024, 1_024, 12, 4])}`,
})

async function onEmbedded(context: Context, seed: number): Promise<void> {
  const random = randomNumbers(seed)
  const settings = settingsOf(new Dice(random))
  await withEmbedded(
    context,
    `oracle ${seed} on the embedded database`,
    node,
    async ({ tally, service }) => {
      await playRound([service.url], tally, random, seed, extentOf(context))
      tally.remarks = { ...settings, ...tally.remarks }
      tally.endRound()
    },
    settings,
  )
}

async function onTwoServers(context: Context, seed: number): Promise<void> {
  const random = randomNumbers(seed)
  const settings = settingsOf(new Dice(random))
  const play = async (stage: PostgresStage) =>
    withSecond(context, stage, settings, async (second) => {
      const { tally, service } = stage
      await playRound([service.url, second.url], tally, random, seed, extentOf(context))
      tally.remarks = { ...settings, ...tally.remarks }
      tally.endRound()
    })
  await withStage(context, `oracle ${seed} on two servers`, play, { settings })
}

const extentOf = ({ thorough }: Context) => (thorough ? long : brief)

async function withSecond(
  context: Context,
  { cluster, database, tally }: PostgresStage,
  settings: Readonly<Record<string, string>>,
  use: (second: Service) => Promise<void>,
): Promise<void> {
  const folder = join(context.folder, `${tally.mode.replaceAll(' ', '-')}-b`)
  mkdirSync(folder)
  const env = { ...onPostgres(cluster.port, database), ...settings }
  const second = await Service.create(node, folder, env, join(folder, 'server.log'))
  second.onCrash = (output) => tally.violate('other violations', `the second server ${output}`)
  try {
    await second.start()
    await use(second)
  } finally {
    await second.kill()
  }
}
