import { node } from '../../support/servers/program.ts'
import { findOrphans } from '../orphans.ts'
import { createArena } from '../races/arena.ts'
import { dimensions, races as kinds } from '../races/kinds.ts'
import { type Mode, withEmbedded, withStage } from '../stage.ts'
import type { Tally } from '../tally.ts'

/** So many races are run at the same time. */
const atOnce = 4

/** Requests that exclude each other, at the same time: one wins, and nobody gets a 5xx. */
export const races: Mode = async (context) => {
  await withStage(context, 'races on PostgreSQL', async ({ tally, service, cluster, database }) => {
    await runAll(service.url, tally, context.rounds)
    await findOrphans(cluster, database, tally)
  })
  await withEmbedded(context, 'races on the embedded engine', node, ({ tally, service }) =>
    runAll(service.url, tally, context.rounds),
  )
}

async function runAll(url: string, tally: Tally, rounds: number): Promise<void> {
  const arena = createArena(url, tally, dimensions)
  for (const prepare of Object.values(kinds)) {
    const race = await prepare(arena)
    let next = 0
    const lane = async () => {
      for (let number = next++; number < rounds; number = next++) {
        await race(number)
        tally.endRound()
      }
    }
    await Promise.all(Array.from({ length: atOnce }, lane))
  }
  tally.remarks = { kinds: `${Object.keys(kinds).length} of ${rounds}` }
}
