import { randomNumbers } from '../../shared/random-numbers.ts'
import { note } from '../../shared/time.ts'
import { Dice } from '../oracle/dice.ts'
import { type Extent, playRound } from '../oracle/round.ts'
import { type Context, embedded, type Mode, settingsFor, withService } from '../stage.ts'

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
    await play(context, seed)
    note(`oracle: seed ${seed} is done`)
  }
}

async function play(context: Context, seed: number): Promise<void> {
  const random = randomNumbers(seed)
  const dice = new Dice(random)
  const isEmbedded = seed % 2 === 0
  const name = `oracle ${seed} on ${isEmbedded ? 'the embedded database' : 'two servers'}`
  const tally = context.newTally(name)
  // Small projects are large ones, and in some rounds memory has no room for all of them.
  const own = {
    SERVICE_EXACTBUDGET: `${dice.whole(50_000, 300_000)}`,
    SERVICE_INDEXDELAY: '4',
    SERVICE_VECTORMEMORY: `${dice.of([1_024, 1_024, 12, 4])}`,
  }
  const database = isEmbedded ? undefined : await (await context.cluster()).newDatabase()
  const settings = { ...(database === undefined ? embedded : settingsFor(database)), ...own }
  const extent = context.isShort ? brief : long
  await withService(context, name, tally, { settings }, async ({ url }) => {
    if (isEmbedded) return playRound([url], tally, random, seed, extent)
    await withService(context, `${name} b`, tally, { settings }, (second) =>
      playRound([url, second.url], tally, random, seed, extent),
    )
  })
  tally.remarks = { ...own, ...tally.remarks }
  tally.endRound()
}
