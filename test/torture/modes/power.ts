import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { type Chance, cutPower, keepAll } from '../power/disk.ts'
import type { Context, Mode } from '../stage.ts'
import { embedded } from '../stage.ts'
import { Tally } from '../tally.ts'
import { type EmbeddedOptions, killEmbedded } from './kills.ts'

/** So many may pass without syncs of the write-ahead log before that is noticed. */
const roundsWithoutSync = 10

/** As `node --liftoff-only`: a start takes two thirds of the time when V8 does not optimize the engine. */
const quick = `data:text/javascript,import{setFlagsFromString}from'node:v8';setFlagsFromString('--liftoff-only')`

/** The power is cut, and the disk has what was synced and any part of the rest: the embedded database, on Node. */
export const power: Mode = async (context) => {
  const random = randomNumbers(context.seed + 1)
  await killEmbedded(context, context.newTally('power'), (name) => cutting(context, name, random))
  await noticeLostSyncs(context, random)
}

/** The service generates its keys: their files have to be there too. */
function cutting(context: Context, name: string, random: () => number, lost = ''): EmbeddedOptions {
  const place = join(realpathSync(context.folder), name)
  const [folder, kept] = [join(place, 'site'), join(place, 'kept')]
  mkdirSync(folder, { recursive: true })
  keepAll(kept, folder)
  const recorder = new URL('../power/recorder.js', import.meta.url)
  recorder.search = `${new URLSearchParams({ folder, kept, lost })}`
  return {
    settings: {
      ...embedded,
      SERVICE_ADMINKEY: '',
      ENCRYPTION_KEY: '',
      NODE_OPTIONS: `--import=${quick} --import=${recorder}`,
    },
    afterKill: () => cutPower(folder, kept, chanceOf(random)),
  }
}

/** How much of what was not synced is there: nothing, or of each file and folder all, nothing or a part. */
function chanceOf(random: () => number): Chance {
  const isNothing = random() < 0.2
  const usual = random()
  const shareOf = () => {
    const dice = random()
    if (isNothing || dice < 0.3) return 0
    return dice < 0.6 ? 1 : usual
  }
  return { random, shareOf }
}

/** A mode that cannot fail is worth nothing. */
async function noticeLostSyncs(context: Context, random: () => number): Promise<void> {
  const tally = new Tally('power without syncs of the log')
  const options = (name: string) => {
    const { settings, afterKill } = cutting(context, name, random, '/pg_wal/')
    const afterKillUnlessNoticed = () => {
      if (tally.violations.length > 0) throw new Error('noticed')
      afterKill?.()
    }
    return { settings, afterKill: afterKillUnlessNoticed }
  }
  const rounds = roundsWithoutSync
  const error = await killEmbedded({ ...context, rounds }, tally, options).then(() => {}, String)
  if (error !== undefined || tally.violations.length > 0) return
  const seen = context.newTally(tally.mode)
  seen.violate('other violations', 'nothing was noticed')
}
