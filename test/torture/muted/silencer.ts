import type { Judges } from '../../support/servers/tcp-proxy.ts'
import { type PoolName, poolOf } from '../pools.ts'

/** A connection that has gone silent in the middle of an answer. */
export interface Silence {
  readonly pool: PoolName
  /** When the client last got something. */
  readonly since: number
  /** How many bytes it got of the last piece, and how many not. */
  readonly passed: number
  readonly withheld: number
  /** When the client gave the connection up. */
  givenUp: number | undefined
}

/** ReadyForQuery: whoever has got it has got the whole answer. */
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5])
const lengthOfReady = readyForQuery.length + 1

/** Lets connections of one pool go silent, those of the others pass. */
export class Silencer {
  readonly #random: () => number
  #armed: { readonly pool: PoolName; left: number } | undefined
  #silences: Silence[] = []

  constructor(random: () => number) {
    this.#random = random
  }

  /** From now on the next answers of a pool break off, on so many connections. */
  arm(pool: PoolName, connections: number): void {
    this.#silences = []
    this.#armed = { pool, left: connections }
  }

  disarm(): void {
    this.#armed = undefined
  }

  get left(): number {
    return this.#armed?.left ?? 0
  }

  get silences(): readonly Silence[] {
    return this.#silences
  }

  newJudges = (): Judges => {
    let pool: PoolName | undefined
    let established = false
    let silence: Silence | undefined
    return {
      requests: (bytes) => {
        pool ??= poolOf(bytes)
        return 'pass'
      },
      answers: (bytes) => {
        if (!established || pool === undefined || !this.#take(pool)) {
          established ||= isComplete(bytes)
          return bytes.length
        }
        const passed = this.#cut(bytes)
        const withheld = bytes.length - passed
        silence = { pool, since: performance.now(), passed, withheld, givenUp: undefined }
        this.#silences.push(silence)
        return passed
      },
      closed: () => {
        if (silence !== undefined) silence.givenUp = performance.now()
      },
    }
  }

  #take(pool: PoolName): boolean {
    if (this.#armed?.pool !== pool || this.#armed.left === 0) return false
    this.#armed.left -= 1
    return true
  }

  /** After the first bytes, in the middle, before CommandComplete has ended, or in ReadyForQuery. */
  #cut({ length }: Buffer): number {
    const dice = this.#random()
    const most = length - 1
    if (dice < 0.25) return Math.min(most, 1 + Math.floor(this.#random() * 16))
    if (dice < 0.5) return Math.floor(length / 2)
    if (dice < 0.75) return Math.max(0, length - lengthOfReady - 1)
    return Math.max(0, most - Math.floor(this.#random() * lengthOfReady))
  }
}

const isComplete = (bytes: Buffer) => bytes.subarray(-lengthOfReady, -1).equals(readyForQuery)
