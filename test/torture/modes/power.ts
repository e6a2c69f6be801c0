import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { Cuts } from '../power/cuts.ts'
import { record } from '../power/record.ts'
import type { Mode } from '../stage.ts'
import { Tally } from '../tally.ts'

/** So many states are made of one recording. */
const statesOfRecording = 100
/** So many may pass without syncs of the write-ahead log before that is noticed. */
const statesWithoutSync = 20

/** The power is cut, and the disk has what was synced and any part of the rest: the embedded database, on Node. */
export const power: Mode = async (context) => {
  const tally = context.newTally('power')
  const random = randomNumbers(context.seed)
  const loadMs = context.thorough ? 8_000 : 2_000
  for (let recording = 0; tally.rounds < context.rounds; recording += 1) {
    const folder = join(realpathSync(context.folder), `power-${recording}`)
    mkdirSync(folder)
    const cuts = new Cuts(folder, await record(folder, tally, random, loadMs), random)
    const states = Math.min(statesOfRecording, context.rounds - tally.rounds)
    await cuts.try(tally, { states, isPosix: context.posix })
    if (recording === 0) await noticeLostSyncs(cuts, tally)
  }
  tally.keep(context.folder)
}

/** A mode that cannot fail is worth nothing. */
async function noticeLostSyncs(cuts: Cuts, tally: Tally): Promise<void> {
  const found = new Tally('power without syncs of the log')
  const isLost = (path: string) => path.includes('/pg_wal/')
  await cuts.try(found, { states: statesWithoutSync, isPosix: false, isLost, untilFound: true })
  if (found.violations.length === 0) {
    tally.violate('other violations', `${found.mode}: nothing was noticed`)
  }
  tally.remarks = { 'states until lost syncs of the log were noticed': found.rounds }
}
