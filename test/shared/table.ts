export type Row = Readonly<Record<string, string | number | undefined>>

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

/** A cell. Three digits are more than a shared machine repeats. */
export function shown(value: string | number | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  if (Number.isInteger(value) || Math.abs(value) >= 100) return value.toFixed(0)
  return value.toPrecision(3)
}
