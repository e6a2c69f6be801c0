import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { node } from '../../support/servers/program.ts'
import { startLoad } from '../load.ts'
import { untilSuccess } from '../recovery.ts'
import { Service } from '../service.ts'
import type { Context, Mode } from '../stage.ts'
import type { Tally } from '../tally.ts'
import { verify } from '../verify.ts'
import { createWorld, type World } from '../world.ts'

const longestLoadMs = 1_500
/** The first start makes the database in this time, which is when these kills come. */
const firstStartMs = 5_000
/** In so many rounds a new folder is begun with. */
const roundsInFolder = 10
/** And so many starts of it are killed. */
const killsOfStart = 2

/** SIGKILL of the server with its embedded database, also while it makes the database. */
export const embedded: Mode = async (context) => {
  const tally = context.newTally('embedded')
  const random = randomNumbers(context.seed)
  for (let folder = 0; tally.rounds < context.rounds; folder += 1) {
    await inNewFolder(context, tally, random, join(context.folder, `embedded-${folder}`))
  }
}

async function inNewFolder(
  { rounds, folder: kept }: Context,
  tally: Tally,
  random: () => number,
  folder: string,
): Promise<void> {
  mkdirSync(folder)
  const log = join(folder, 'server.log')
  const service = await Service.create(node, folder, { SERVICE_DATABASE: 'embedded' }, log)
  service.onCrash = (output) => tally.violate('other violations', `the server ${output}`)
  try {
    for (let kill = 0; kill < killsOfStart && tally.rounds < rounds; kill += 1) {
      service.spawn()
      await sleep(random() * firstStartMs)
      await service.kill()
      tally.endRound()
    }
    await service.start()
    const world = await createWorld(service.url, tally)
    const last = Math.min(rounds, tally.rounds + roundsInFolder)
    for (; tally.rounds < last; tally.endRound()) await round(service, world, random)
  } finally {
    await service.kill()
    tally.keep(kept)
  }
}

async function round(service: Service, world: World, random: () => number): Promise<void> {
  const load = startLoad(world, { random })
  await sleep(20 + random() * longestLoadMs)
  await service.kill()
  await load.stop()
  const start = performance.now()
  service.spawn()
  await untilSuccess(world)
  world.tally.recoveries.push(performance.now() - start)
  await verify(world)
}
