import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { memoryOf } from '../../shared/memory.ts'
import { median } from '../../shared/percentiles.ts'
import { startLoad } from '../load.ts'
import { type Mode, withPostgres } from '../stage.ts'
import { readBack } from './kills.ts'

const sampleEveryMs = 2_000
/** Below this much time growth says nothing, and is only shown. */
const judgedFromMinutes = 10
/** In a minute. */
const bounds = { 'RSS MiB': 1, 'open files': 0.5, connections: 0.5 } as const
type Sample = Record<keyof typeof bounds, number>

/** A mixed load for a long time: memory, open files and connections must not go on growing. */
export const soak: Mode = (context) =>
  withPostgres(context, 'soak', async (stage) => {
    const { tally, random, database, service, world } = stage
    const { minutes } = context
    const until = performance.now() + minutes * 60_000
    const load = startLoad(world, random)
    const samples: Sample[] = []
    while (performance.now() < until) {
      samples.push({
        'RSS MiB': memoryOf(service.pid).now ?? Number.NaN,
        'open files': readdirSync(`/proc/${service.pid}/fd`).length,
        connections: (await database.backends()).length,
      })
      await sleep(Math.min(sampleEveryMs, Math.max(0, until - performance.now())))
    }
    await load.stop()
    tally.rounds = 1
    for (const [figure, bound] of Object.entries(bounds)) {
      const growth = growthOf(samples.map((sample) => new Map(Object.entries(sample)).get(figure)))
      const perMinute = growth / (minutes / 3)
      tally.remarks = { ...tally.remarks, [`${figure}/min`]: perMinute }
      if (minutes >= judgedFromMinutes && perMinute > bound) {
        tally.violate('other violations', `${figure} grow by ${perMinute} a minute`)
      }
    }
    await readBack(stage)
  })

/** From the second third to the last: the first one is for warming up. */
function growthOf(figures: readonly (number | undefined)[]): number {
  const known = figures.filter((figure) => figure !== undefined)
  const third = Math.ceil(known.length / 3)
  return median(known.slice(-third)) - median(known.slice(third, 2 * third))
}
