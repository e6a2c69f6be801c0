import { setTimeout as sleep } from 'node:timers/promises'
import { type Outcome, succeeded } from './http-client.ts'
import { endOfLines } from './judgements.ts'
import type { Tally } from './tally.ts'

const patienceMs = 60_000
const pollMs = 5

/** What a fault may do to the requests of a project. */
export interface Allowed {
  /** So many answers 503 in a row. */
  readonly refusals: (handle: string) => number
  /** Whether connections may break, and nobody listen. */
  readonly cuts?: boolean
}

/**
 * Why an answer must not have been.
 * @param refusals how many there were in a row, with this one
 */
export function flawOfAnswer(
  outcome: Outcome,
  refusals: number,
  handle: string,
  allowed: Allowed,
): string | undefined {
  const { status } = endOfLines(outcome)
  if (status === 0) return allowed.cuts ? undefined : `no answer: ${outcome.reason}`
  if (status !== 503) return undefined
  if (outcome.status === 503 && outcome.headers['retry-after'] === undefined) {
    return '503 without Retry-After'
  }
  if (refusals <= allowed.refusals(handle)) return undefined
  return `503, ${refusals} in a row: ${JSON.stringify(outcome.body)}`
}

/** Sees the answers of a load, of whose projects each has one request at a time. */
export class Witness {
  readonly #tally: Tally
  /** In a row, of each project. */
  readonly #refusals = new Map<string, number>()
  /** When the last request that succeeded was sent. */
  readonly #servedAt = new Map<string, number>()
  /** In all. */
  refusals = 0
  #allowed: Allowed = { refusals: () => 0 }

  constructor(tally: Tally) {
    this.#tally = tally
  }

  expect(allowed: Allowed): void {
    this.#allowed = allowed
    this.#refusals.clear()
  }

  readonly see = (outcome: Outcome, what: string, handle: string): void => {
    const { status } = endOfLines(outcome)
    const refusals = status === 503 ? (this.#refusals.get(handle) ?? 0) + 1 : 0
    this.#refusals.set(handle, refusals)
    if (status === 503) this.refusals += 1
    if (succeeded({ ...outcome, status })) this.#servedAt.set(handle, outcome.startedAt)
    const flaw = flawOfAnswer(outcome, refusals, handle, this.#allowed)
    if (flaw !== undefined) this.#tally.violate('other violations', `${what}: ${flaw}`)
  }

  /** Until each project has had a success that was asked for after that time. @returns when the last of them had */
  async untilServed(handles: readonly string[], since: number): Promise<number> {
    for (const deadline = performance.now() + patienceMs; ; await sleep(pollMs)) {
      const late = handles.filter((handle) => (this.#servedAt.get(handle) ?? 0) < since)
      const now = performance.now()
      if (late.length === 0) return now
      if (now > deadline) throw new Error(`nothing succeeds any more in ${late}`)
    }
  }
}
