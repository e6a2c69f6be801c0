/** The 0.95 quantile of the normal distribution, for a one-sided confidence of 95%. */
const quantile = 1.645

export interface Estimate {
  /** The share of the true neighbours that were found. */
  readonly recall: number
  /** The lower bound of recall, with a confidence of 95%. */
  readonly atLeast: number
}

/**
 * Estimates recall from searches for `size` neighbours each; `found` has how many each search
 * found. The neighbours of one search tend to be missed together, so they count as fewer
 * independent ones: the effective sample size of clusters (Korn and Graubard, Survey Methodology
 * 24, 1998) goes into Wilson's bound, as Dean and Pagano recommend (Journal of Survey Statistics
 * and Methodology 3, 2015).
 */
export function estimateRecall(found: readonly number[], size: number): Estimate {
  const neighbours = found.length * size
  if (neighbours === 0) return { recall: 0, atLeast: 0 }
  const recall = found.reduce((sum, each) => sum + each, 0) / neighbours
  const squares = found.reduce((sum, each) => sum + (each / size - recall) ** 2, 0)
  const variance = squares / Math.max(found.length - 1, 1) / found.length
  const independent =
    variance > 0 ? Math.min((recall * (1 - recall)) / variance, neighbours) : neighbours
  return { recall, atLeast: wilson(recall, independent) }
}

/** The lower bound of Wilson's score interval for a share that was observed `count` times. */
function wilson(share: number, count: number): number {
  const z = quantile ** 2 / count
  const spread = Math.sqrt(share * (1 - share) * z + z ** 2 / 4)
  return Math.max(0, (share + z / 2 - spread) / (1 + z))
}
