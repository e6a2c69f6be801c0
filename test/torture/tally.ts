import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { quantile } from '../shared/percentiles.ts'
import { type Row, shown } from '../shared/table.ts'
import { note } from '../shared/time.ts'

/** What must never happen; the names are columns of the table. */
const faults = [
  ...['lost', 'partial', 'undead', 'wrong vectors', 'wrong answers', 'orphans', 'other violations'],
] as const
export type Fault = (typeof faults)[number]

const shownViolations = 20
const notedEvery = 100

/** What one mode has counted, and every violation in words. */
export class Tally {
  readonly mode: string
  readonly violations: string[] = []
  rounds = 0
  /** Batches whose upload was answered 201. */
  acknowledged = 0
  /** Changes whose answer was lost or 503, by what verification found. */
  foundDone = 0
  foundUndone = 0
  readonly recoveries: number[] = []
  readonly #counts = new Map<Fault, number>()
  readonly #answers = new Map<string, number>()
  /** Further figures of this mode alone. */
  remarks: Readonly<Record<string, string | number>> = {}

  constructor(mode: string) {
    this.mode = mode
  }

  violate(fault: Fault, what: string): void {
    this.#counts.set(fault, (this.#counts.get(fault) ?? 0) + 1)
    this.violations.push(`${this.mode}, round ${this.rounds}: ${fault}: ${what}`)
    if (this.violations.length <= shownViolations) {
      process.stderr.write(`VIOLATION ${this.violations.at(-1)}\n`)
    }
  }

  /** Says now and then how far it is. */
  endRound(): void {
    this.rounds += 1
    if (this.rounds % notedEvery === 0) note(`${this.mode}: ${this.rounds} rounds`)
  }

  answered(answer: string): void {
    this.#answers.set(answer, (this.#answers.get(answer) ?? 0) + 1)
  }

  row(): Row {
    const sorted = this.recoveries.toSorted((a, b) => a - b)
    const counts = faults.map((fault) => [fault, this.#counts.get(fault) ?? 0] as const)
    return {
      mode: this.mode,
      rounds: this.rounds,
      'acknowledged batches': this.acknowledged,
      ...Object.fromEntries(counts),
      'unknown: done': this.foundDone,
      'unknown: not done': this.foundUndone,
      answers: [...this.#answers]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([answer, times]) => `${answer} × ${times}`)
        .join(', '),
      'recovery p50 ms': quantile(sorted, 0.5),
      'p95 ms': quantile(sorted, 0.95),
      'max ms': sorted.at(-1),
      remarks: Object.entries(this.remarks)
        .map(([name, value]) => `${name} ${shown(value)}`)
        .join(', '),
    }
  }

  /** Puts the violations beside the logs. */
  keep(folder: string): void {
    writeFileSync(join(folder, `${this.mode}.violations`), `${this.violations.join('\n')}\n`)
  }
}
