import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import type { Dice } from '../oracle/dice.ts'

/** So many files of earlier stops are kept. */
const mostEarlier = 3

/** The lock of a server that was killed has a socket, which cannot be copied. */
const isLock = (path: string) => basename(path) === 'semblance.lock'

export function copy(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true, filter: (path) => !isLock(path) })
}

/** The data of a server that is stopped, the files of vectors there, and copies of both. */
export class Folders {
  readonly data: string
  readonly #vectors: string
  readonly #kept: string
  readonly #earlier: string
  readonly #foreign: string

  constructor(place: string) {
    this.data = join(place, 'site', 'data')
    this.#vectors = join(this.data, 'vectors')
    this.#kept = join(place, 'kept')
    this.#earlier = join(place, 'earlier')
    this.#foreign = join(place, 'foreign')
    for (const folder of [this.#earlier, this.#foreign]) mkdirSync(folder, { recursive: true })
  }

  /** The file of the project, if there is one. */
  get file(): string | undefined {
    const [name] = existsSync(this.#vectors) ? readdirSync(this.#vectors) : []
    return name === undefined ? undefined : join(this.#vectors, name)
  }

  /** Keeps the data without the files. */
  keepData(): void {
    copy(this.data, this.#kept)
    rmSync(join(this.#kept, 'vectors'), { recursive: true, force: true })
  }

  /** Puts back the data that was kept. The files stay. */
  putBackData(): void {
    const files = `${this.#kept}-files`
    copy(this.#vectors, files)
    copy(this.#kept, this.data)
    copy(files, this.#vectors)
  }

  keepFile(): void {
    for (const name of readdirSync(this.#earlier).slice(mostEarlier - 1)) {
      rmSync(join(this.#earlier, name))
    }
    if (this.file !== undefined) cpSync(this.#vectors, this.#earlier, { recursive: true })
  }

  keepForeign(data: string): void {
    copy(join(data, 'vectors'), this.#foreign)
  }

  takeForeign(): void {
    copy(this.#foreign, this.#vectors)
  }

  truncate(file: string, dice: Dice): void {
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.subarray(0, dice.whole(0, bytes.length - 1)))
  }

  flip(file: string, dice: Dice): void {
    const bytes = readFileSync(file)
    const at = dice.whole(0, bytes.length - 1)
    bytes[at] = (bytes[at] ?? 0) ^ dice.whole(1, 255)
    writeFileSync(file, bytes)
  }

  /** Under its own name, or under that of the present one. */
  takeEarlier(file: string, dice: Dice): void {
    const name = dice.of(readdirSync(this.#earlier))
    rmSync(file)
    cpSync(join(this.#earlier, name), dice.chance(0.5) ? file : join(this.#vectors, name))
  }
}
