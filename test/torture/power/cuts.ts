import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { randomNumbers } from '../../shared/random-numbers.ts'
import type { Tally } from '../tally.ts'
import { observe } from './client.ts'
import { type Chance, Disk, writeFolder } from './disk.ts'
import { Expected, flawsOf } from './history.ts'
import type { Logged } from './log.ts'
import { adminKeyIn, patienceMs, serviceIn } from './record.ts'

const keptStates = 5
/** Entries before and behind a rename. */
const around = 5

export interface Trial {
  readonly states: number
  readonly isPosix: boolean
  /** Whether the syncs of a file are without effect. */
  readonly isLost?: (path: string) => boolean
  readonly untilFound?: boolean
}

/** Cuts the power at places of a recording, and looks what a service makes of what is left. */
export class Cuts {
  readonly #folder: string
  readonly #log: readonly Logged[]
  readonly #random: () => number
  /** Where the first start was over. */
  readonly #started: number

  /** @param folder with the socket that `record` has left */
  constructor(folder: string, log: readonly Logged[], random: () => number) {
    this.#folder = folder
    this.#log = log
    this.#random = random
    this.#started = log.findIndex(({ entry }) => entry.op === 'acknowledged')
  }

  /** A fifth is during the first start; half of all are around a rename, or right behind what was acknowledged. */
  #place(): number {
    const random = this.#random
    const isFirst = random() < 0.2
    const [from, to] = isFirst ? [0, this.#started] : [this.#started, this.#log.length]
    const place = from + Math.floor(random() * (to - from))
    if (random() < 0.5) return place
    const wanted = isFirst || random() < 0.3 ? 'rename' : 'acknowledged'
    const next = this.#log.findIndex(({ entry }, index) => index >= place && entry.op === wanted)
    if (next === -1) return place
    return wanted === 'acknowledged'
      ? next
      : Math.max(0, next - around + Math.floor(random() * 2 * around))
  }

  async try(tally: Tally, { states, isPosix, isLost, untilFound = false }: Trial): Promise<void> {
    const places = Array.from({ length: states }, () => this.#place()).toSorted((a, b) => a - b)
    const [disk, expected] = [new Disk(isPosix, isLost), new Expected()]
    let next = 0
    for (const place of places) {
      for (; next <= place; next += 1) {
        const logged = this.#log[next]
        if (logged === undefined) break
        disk.apply(logged)
        expected.apply(logged)
      }
      await this.#tryOne(disk, expected, place, tally)
      if (untilFound && tally.violations.length > 0) return
    }
  }

  async #tryOne(disk: Disk, expected: Expected, place: number, tally: Tally): Promise<void> {
    const seed = Math.floor(this.#random() * 2 ** 32)
    const write = (name: string) => {
      const site = join(this.#folder, name)
      const found = disk.cut(chanceOf(randomNumbers(seed)))
      writeFolder(site, found, join(this.#folder, 'socket'))
      return site
    }
    const { length } = tally.violations
    const start = performance.now()
    const site = write('state')
    await this.#check(site, expected, place, tally)
    tally.recoveries.push(performance.now() - start)
    rmSync(site, { recursive: true })
    if (tally.violations.length > length && tally.violations.length <= keptStates) {
      write(`kept-${tally.mode.replaceAll(' ', '-')}-${tally.rounds}`)
    }
    tally.endRound()
  }

  async #check(site: string, expected: Expected, place: number, tally: Tally): Promise<void> {
    const last = JSON.stringify(this.#log[place]?.entry).slice(0, 100)
    const at = `, in the state behind ${place} of ${this.#log.length}: ${last}`
    const service = await serviceIn(site, join(this.#folder, 'states.log'))
    try {
      await service.start(patienceMs)
      const key = adminKeyIn(site)
      const observed = await observe(service.url, key, expected, tally)
      if (expected.names.has('admin')) observed.set('admin', key)
      const [first, ...others] = flawsOf(expected, observed)
      const more = others.length > 0 ? `, and ${others.length} more` : ''
      if (first !== undefined) tally.violate(first.fault, first.what + more + at)
    } catch (error) {
      tally.violate('other violations', `${error instanceof Error ? error.message : error}${at}`)
    } finally {
      await service.kill()
    }
  }
}

/** How much of what was not synced is there: nothing, or of each file and folder all, nothing or a part. */
function chanceOf(random: () => number): Chance {
  const usual = random()
  const shareOf = () => {
    const dice = random()
    return dice < 0.3 ? 0 : dice < 0.6 ? 1 : usual
  }
  const dice = random()
  if (dice < 0.2) return { random, shareOf: () => 0, torn: 0 }
  return { random, shareOf, torn: dice < 0.6 ? 0.3 : 0 }
}
