import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { markdown, type Row, shown } from '../test/shared/table.ts'
import { note } from '../test/shared/time.ts'

/** A bound on a figure; where it is printed, it says whether it was kept. */
export interface Target {
  readonly name: string
  readonly value: number
  readonly atMost?: number
  readonly atLeast?: number
}

export function judge(...targets: readonly (Target | undefined)[]): string {
  return targets
    .filter((target) => target !== undefined)
    .map(({ name, value, atMost = Number.POSITIVE_INFINITY, atLeast = 0 }) => {
      const verdict = value <= atMost && value >= atLeast ? 'ok' : 'missed'
      const bound = atLeast > 0 ? `≥ ${atLeast}` : `≤ ${atMost}`
      return `${verdict}: ${name} ${shown(value)} (${bound})`
    })
    .join('; ')
}

/** Collects rows; each is in the file as soon as it is known, one line of JSON. */
export function createReport(file: string, about: object) {
  const tables = new Map<string, Row[]>()
  const write = (line: object) => appendFileSync(file, `${JSON.stringify(line)}\n`)
  mkdirSync(dirname(file), { recursive: true })
  write(about)
  return {
    add(part: string, row: Row): void {
      tables.set(part, [...(tables.get(part) ?? []), row])
      write({ part, ...row })
      const cells = Object.entries(row).filter(([, value]) => value !== undefined && value !== '')
      note(`  ${cells.map(([name, value]) => `${name} ${shown(value)}`).join(', ')}`)
    },
    /** All tables, in Markdown. */
    print: () => [...tables].map(([part, rows]) => `### ${part}\n\n${markdown(rows)}\n`).join('\n'),
  }
}

export type Report = ReturnType<typeof createReport>
