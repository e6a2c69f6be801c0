import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { note } from './time.ts'

export type Row = Readonly<Record<string, string | number | undefined>>

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

export function markdown(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = [columns, ...rows.map((row) => columns.map((column) => shown(row[column])))]
  const widths = columns.map((_, index) =>
    Math.max(...cells.map((line) => line[index]?.length ?? 0)),
  )
  const [head = [], ...body] = cells.map((line) =>
    line.map((cell, index) => cell.padEnd(widths[index] ?? 0)),
  )
  const rule = widths.map((width) => '-'.repeat(width))
  return [head, rule, ...body].map((line) => `| ${line.join(' | ')} |`).join('\n')
}

/** Three digits are more than a shared machine repeats. */
function shown(value: string | number | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  if (Number.isInteger(value) || Math.abs(value) >= 100) return value.toFixed(0)
  return value.toPrecision(3)
}
