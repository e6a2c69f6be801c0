import type { TextGroup } from './groups.ts'
import type { Pair } from './pair-collector.ts'

/** The pairs as a table with a header; `group` has the same number in all pairs of a group. */
export function pairsAsCsv(pairs: readonly Pair[], groups: readonly TextGroup[]): string {
  const numbers = groupNumbers(groups)
  const lines = pairs.map(({ id, neighbour, similarity }) =>
    [csvCell(id), csvCell(neighbour), similarity, numbers.get(id) ?? ''].join(','),
  )
  return ['id,neighbour,similarity,group', ...lines, ''].join('\r\n')
}

/** The same as a line of JSON for each pair. */
export function pairsAsNdjson(pairs: readonly Pair[], groups: readonly TextGroup[]): string {
  const numbers = groupNumbers(groups)
  return pairs
    .map((pair) => `${JSON.stringify({ ...pair, group: numbers.get(pair.id) })}\n`)
    .join('')
}

function groupNumbers(groups: readonly TextGroup[]): ReadonlyMap<string, number> {
  return new Map(groups.flatMap(({ ids }, index) => ids.map((id) => [id, index + 1] as const)))
}

/** Spreadsheets take what begins so for a formula, also behind spaces; with an apostrophe before it, for text. */
const formula = /^\s*[=+\-@\t\r\n＝＋－＠]/u

/** A text as a cell, in quotes where it needs them. */
export function csvCell(text: string): string {
  const harmless = formula.test(text) ? `'${text}` : text
  return /[",;\t\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
