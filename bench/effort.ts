/** Values of ef_search that somebody who tunes an index by hand would try. */
export const usualEfforts = [40, 60, 80, 100, 150, 200, 300, 400, 600, 800, 1_000] as const

export const wantedRecall = 0.99

export interface Effort {
  readonly efSearch: number
  readonly recall: number
}

/** The least ef_search that reaches the recall; where none does, the one that came nearest. */
export async function leastEffort(
  recallAt: (efSearch: number) => Promise<number>,
  wanted = wantedRecall,
  efforts: readonly number[] = usualEfforts,
): Promise<Effort> {
  let best: Effort | undefined
  for (const efSearch of efforts) {
    const recall = await recallAt(efSearch)
    if (best === undefined || recall > best.recall) best = { efSearch, recall }
    if (recall >= wanted) break
  }
  if (best === undefined) throw new Error('there is no effort to try')
  return best
}
