type Cell = string | number | undefined

/** What others have written must not steer the reader's terminal: control characters, changes of direction. */
export const harmless = (text: string): string =>
  text.replaceAll(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ')

const shown = (cell: Cell) =>
  typeof cell === 'number' ? cell.toLocaleString('en') : harmless(cell ?? '')

/** Columns with their names above; numbers stand right, and the last column is cut off at the margin. */
export function table(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return ''
  const texts = [names, ...rows].map((row) => row.map(shown))
  const widths = names.map((_, at) => Math.max(...texts.map((row) => row[at]?.length ?? 0)))
  const isNumber = names.map((_, at) => rows.every((row) => typeof row[at] === 'number'))
  const columns = process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY
  return texts
    .map((row) => {
      const cells = row.map((text, at) =>
        isNumber[at] ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0),
      )
      return `${cells.join('  ').slice(0, columns).trimEnd()}\n`
    })
    .join('')
}

export const embeddingsText = (count: number): string =>
  `${count.toLocaleString('en')} embedding${count === 1 ? '' : 's'}`
