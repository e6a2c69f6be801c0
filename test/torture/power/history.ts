import { openSync, writevSync } from 'node:fs'
import { type Change, entryParts, type Logged } from './log.ts'

/** Stands for what only the answer tells. */
export const anything = '*'

/** Writes down in the log what is asked for, and what the answers acknowledge. */
export class History {
  readonly #log: number
  #lastId = 0

  constructor(file: string) {
    this.#log = openSync(file, 'a')
  }

  sent(change: Change): number {
    this.#lastId += 1
    writevSync(this.#log, entryParts({ op: 'sent', id: this.#lastId, change }))
    return this.#lastId
  }

  acknowledged(id: number, change: Change): void {
    writevSync(this.#log, entryParts({ op: 'acknowledged', id, change }))
  }
}

/** What has to be there after a cut, and the requests of which each may be done wholly or not at all. */
export class Expected {
  readonly facts = new Map<string, string>()
  readonly open = new Map<number, Change>()

  apply({ entry }: Logged): void {
    if (entry.op === 'sent') this.open.set(entry.id, entry.change)
    if (entry.op !== 'acknowledged') return
    this.open.delete(entry.id)
    for (const [name, value] of Object.entries(entry.change)) {
      if (value === null) this.facts.delete(name)
      else this.facts.set(name, value)
    }
  }

  /** All that may be there. */
  get names(): Set<string> {
    return new Set([...this.facts.keys(), ...[...this.open.values()].flatMap(Object.keys)])
  }
}

export interface Flaw {
  readonly fault: 'lost' | 'partial' | 'undead' | 'wrong vectors'
  readonly what: string
}

export function flawsOf(expected: Expected, observed: ReadonlyMap<string, string>): Flaw[] {
  const flaws: Flaw[] = []
  const inDoubt = new Set<string>()
  const isAsBefore = (name: string) => observed.get(name) === expected.facts.get(name)
  for (const change of expected.open.values()) {
    const names = Object.keys(change)
    for (const name of names) inDoubt.add(name)
    const isAsAfter = (name: string) =>
      change[name] === anything
        ? observed.has(name)
        : observed.get(name) === (change[name] ?? undefined)
    if (names.every(isAsBefore) || names.every(isAsAfter)) continue
    const done = names.filter(isAsAfter)
    if (done.length === 0) for (const name of names) inDoubt.delete(name)
    else
      flaws.push({ fault: 'partial', what: `${done.length} of ${names.length} of '${names[0]}'` })
  }
  for (const name of new Set([...expected.facts.keys(), ...observed.keys()])) {
    if (inDoubt.has(name) || isAsBefore(name)) continue
    const [was, is] = [expected.facts.get(name), observed.get(name)]
    const fault = is === undefined ? 'lost' : was === undefined ? 'undead' : 'wrong vectors'
    flaws.push({ fault, what: `'${name}' is ${is ?? 'not there'}, not ${was ?? 'away'}` })
  }
  return flaws
}
