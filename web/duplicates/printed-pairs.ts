import type { TextGroup } from './groups.ts'
import type { Pair } from './pair-collector.ts'

/** Prints the pairs as CSV with a header. All pairs of a group have the same number in `group`. */
export function pairsAsCsv(pairs: readonly Pair[], groups: readonly TextGroup[]): string {
  const numbers = groupNumbers(groups)
  const lines = pairs.map(({ id, neighbour, similarity }) =>
    [csvCell(id), csvCell(neighbour), similarity, numbers.get(id) ?? ''].join(','),
  )
  return ['id,neighbour,similarity,group', ...lines, ''].join('\r\n')
}

/** Prints the pairs as one line of JSON each. */
export function pairsAsNdjson(pairs: readonly Pair[], groups: readonly TextGroup[]): string {
  const numbers = groupNumbers(groups)
  return pairs
    .map((pair) => `${JSON.stringify({ ...pair, group: numbers.get(pair.id) })}\n`)
    .join('')
}

function groupNumbers(groups: readonly TextGroup[]): ReadonlyMap<string, number> {
  return new Map(groups.flatMap(({ ids }, index) => ids.map((id) => [id, index + 1] as const)))
}

/**
 * Spreadsheets treat cells that begin like this as formulas, even after spaces. A leading
 * apostrophe makes them text.
 */
const formula = /^\s*[=+\-@\t\r\n＝＋－＠]/u

/** Prints a text as a CSV cell, quoted if necessary. */
export function csvCell(text: string): string {
  const harmless = formula.test(text) ? `'${text}` : text
  return /[",;\t\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
