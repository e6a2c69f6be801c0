import { isNeighbours, neighbourLines } from '../neighbour-lines.ts'
import { maxNeighbours } from './duplicates-view.ts'
import { type Pair, PairCollector } from './pair-collector.ts'

/** How far the comparison is. */
export interface ComparisonProgress {
  readonly compared: number
  /** Undefined until it is known. */
  readonly total: number | undefined
  readonly pairs: number
}

/** What was found, also by a comparison that was stopped. */
export interface FoundPairs {
  /** The most similar first. */
  readonly pairs: readonly Pair[]
  /** Undefined where it was stopped. */
  readonly whole: { readonly embeddings: number; readonly isApproximate: boolean } | undefined
  readonly collected: Pick<PairCollector, 'floor' | 'isFull' | 'crowded'>
}

const tellEveryMs = 250

/**
 * Has all texts of a project compared with all, and keeps the pairs.
 * @param signal stops it: what there is by then is the answer
 * @throws RefusedCall for what the server refuses
 */
export async function readPairs(
  project: string,
  body: object,
  signal: AbortSignal,
  tell: (progress: ComparisonProgress) => void,
): Promise<FoundPairs> {
  const collector = new PairCollector(maxNeighbours)
  let whole: FoundPairs['whole']
  let [compared, total, saidAt] = [0, undefined as number | undefined, 0]
  try {
    for await (const line of neighbourLines(project, body, signal)) {
      if (line.progress !== undefined) {
        compared = line.progress.done
        total = line.progress.total ?? undefined
      }
      if (line.embeddings !== undefined)
        whole = { embeddings: line.embeddings, isApproximate: line.mode === 'approximate' }
      if (isNeighbours(line)) collector.add(line)
      if (collector.isFull) break
      if (Date.now() - saidAt < tellEveryMs) continue
      saidAt = Date.now()
      tell({ compared, total, pairs: collector.size })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return { pairs: collector.sorted(), whole, collected: collector }
}
