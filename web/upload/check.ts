import { recordsOf, type Source } from './file-records.ts'
import { isJsonNumber, type RowOptions, rowMaker } from './table-rows.ts'

export interface RefusedRow {
  readonly place: string
  readonly id: string
  readonly reason: string
}

/** What a file has, all of which was read. */
export interface Checked {
  /** Rows that can be sent. */
  readonly good: number
  /** Those of them without a vector. */
  readonly lacking: number
  readonly refused: readonly RefusedRow[]
  readonly numeric: ReadonlySet<string>
}

/** With more, the file is probably not what its user thinks. */
export const mostRefused = 10_000

/**
 * Reads a file once before anything is sent, which tells what is wrong with it, and how much there
 * is to do.
 * @throws what reading the file throws
 */
export async function checkFile(
  source: Source,
  options: RowOptions,
  signal: AbortSignal,
  tell: (share: number) => void,
): Promise<Checked> {
  const make = rowMaker(options)
  const isText = source.kind === 'table' || source.kind === 'tabbed'
  const [numeric, words] = [new Set<string>(), new Set<string>()]
  const firstPlace = new Map<string, string>()
  const refused: RefusedRow[] = []
  let [number, good, lacking] = [0, 0, 0]
  for await (const record of recordsOf(source, tell)) {
    signal.throwIfAborted()
    number += 1
    if (isText && 'values' in record) {
      for (const [name, cell] of record.values) {
        if (cell !== '') (isJsonNumber(`${cell}`) ? numeric : words).add(name)
      }
    }
    const row = make(record, number)
    const { place, id } = row
    const before = firstPlace.get(id)
    if ('problem' in row) refused.push({ place, id, reason: row.problem })
    else if (before !== undefined) {
      refused.push({ place, id, reason: `${before} has the same text_id` })
    } else {
      firstPlace.set(id, place)
      good += 1
      if (!row.hasVector) lacking += 1
    }
    if (refused.length >= mostRefused) break
  }
  for (const name of words) numeric.delete(name)
  return { good, lacking, refused, numeric }
}
