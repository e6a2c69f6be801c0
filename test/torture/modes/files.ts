import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { node } from '../../support/servers/program.ts'
import { copy, Folders } from '../files/folders.ts'
import { Project, Truth } from '../files/project.ts'
import { Dice } from '../oracle/dice.ts'
import { Service } from '../service.ts'
import { type Context, embedded, type Mode, withService } from '../stage.ts'
import type { Tally } from '../tally.ts'

/** Files have codes too. */
const settings = { ...embedded, SERVICE_EXACTBUDGET: '2000000' }
const usedFile = /read the vectors of collection \d+ from a file/
const longestInFlightMs = 50
const mostInFlight = 3
/** What happens to the file while the server is stopped. */
const spoils = ['nothing', 'truncated', 'flipped', 'earlier', 'ahead', 'foreign'] as const
type Spoil = (typeof spoils)[number]
/** Where a file may be used: what is flipped may be read only after the start. */
const usable: readonly Spoil[] = ['nothing', 'earlier', 'flipped']

/** A server stops, and the file of its vectors is not what the next start should find. */
export const files: Mode = async (context) => {
  const tally = context.newTally('files')
  await withService(context, 'files', tally, { settings }, async (service) => {
    const dice = new Dice(randomNumbers(context.seed))
    const stops = new Stops(service, context, tally, dice)
    await stops.begin()
    let left: readonly Spoil[] = ['nothing']
    for (; tally.rounds < context.rounds; tally.endRound()) {
      const [spoil = 'nothing', ...others] = left
      left = others.length > 0 ? others : dice.some(spoils, spoils.length)
      await stops.round(spoil)
    }
    if (stops.used === 0) tally.violate('other violations', 'no file was ever used')
  })
}

class Stops {
  used = 0
  readonly #service: Service
  readonly #place: string
  readonly #seed: number
  readonly #tally: Tally
  readonly #dice: Dice
  readonly #project: Project
  readonly #folders: Folders
  /** What was known when the data were kept. */
  #kept: Truth
  /** How many changes are in the last file. */
  #written = 0

  constructor(service: Service, { folder, seed }: Context, tally: Tally, dice: Dice) {
    this.#service = service
    this.#place = join(folder, 'files')
    this.#seed = seed
    this.#tally = tally
    this.#dice = dice
    this.#project = new Project(service, tally, dice, seed)
    this.#folders = new Folders(this.#place)
    this.#kept = this.#project.truth
  }

  /** Another server, which begins with the same data, leaves its file for later. */
  async begin(): Promise<void> {
    await this.#project.create()
    await this.#project.check()
    await this.#stop('SIGTERM', 0)
    this.#keepData()
    const other = await Service.create(node, join(this.#place, 'other'), settings)
    copy(this.#folders.data, join(other.folder, 'data'))
    await other.start()
    const known = new Truth(this.#dice, this.#project.truth)
    const project = new Project(other, this.#tally, this.#dice, this.#seed, known)
    await project.change()
    await project.check()
    await other.end('SIGTERM')
    this.#folders.keepForeign(join(other.folder, 'data'))
    await this.#service.start()
  }

  async round(spoil: Spoil): Promise<void> {
    const isAhead = spoil === 'ahead'
    await this.#project.change()
    const isWritten = isAhead || this.#folders.file === undefined || this.#dice.chance(0.6)
    const inFlight = isAhead ? 0 : this.#dice.whole(0, mostInFlight)
    await this.#stop(isWritten ? 'SIGTERM' : 'SIGKILL', inFlight)
    if (!isAhead && this.#dice.chance(0.3)) this.#keepData()
    await this.#spoil(spoil)
    await this.#service.start()
    await this.#project.settle()
    await this.#project.check()
    const isUsed = usedFile.test(this.#service.said)
    if (isUsed) this.used += 1
    this.#count(`${spoil}, ${isUsed ? 'used' : 'not used'}:`)
    if (isUsed && !usable.includes(spoil)) {
      this.#tally.violate('other violations', `a file was used: ${spoil}`)
    }
  }

  async #stop(signal: 'SIGTERM' | 'SIGKILL', inFlight: number): Promise<void> {
    const changing = this.#project.change(inFlight)
    await sleep(this.#dice.between(0, longestInFlightMs))
    const exit = await this.#service.end(signal)
    await changing
    if (signal === 'SIGKILL') return
    if (exit !== 0) this.#tally.violate('other violations', `the server ended with ${exit}`)
    this.#written = this.#project.truth.changes
    this.#folders.keepFile()
  }

  #keepData(): void {
    this.#kept = new Truth(this.#dice, this.#project.truth)
    this.#folders.keepData()
  }

  async #spoil(spoil: Spoil): Promise<void> {
    const { file } = this.#folders
    if (spoil === 'foreign') this.#folders.takeForeign()
    else if (spoil === 'ahead') await this.#putBack()
    else if (file === undefined) return
    else if (spoil === 'truncated') this.#folders.truncate(file, this.#dice)
    else if (spoil === 'flipped') this.#folders.flip(file, this.#dice)
    else if (spoil === 'earlier') this.#folders.takeEarlier(file, this.#dice)
  }

  /** The file is ahead of the data, until other changes reach its revision. */
  async #putBack(): Promise<void> {
    this.#folders.putBackData()
    this.#project.truth = new Truth(this.#dice, this.#kept)
    await this.#service.start()
    await this.#project.settle()
    const missing = this.#written - this.#project.truth.changes
    for (let change = 0; change < missing; change += 1) await this.#project.change()
    await this.#service.end('SIGKILL')
  }

  #count(what: string): void {
    const { remarks } = this.#tally
    this.#tally.remarks = { ...remarks, [what]: Number(remarks[what] ?? 0) + 1 }
  }
}
