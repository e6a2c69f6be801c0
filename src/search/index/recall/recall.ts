import { textIdAfter } from '../../../collections/keys.ts'
import type { Db } from '../../../db/database.ts'
import { withSettings } from '../../../db/session-settings.ts'
import { comparedOfFound } from '../effort.ts'
import { components, type SearchIndex } from '../policy.ts'
import {
  compareRange,
  measuringSettings,
  NearestNeighbours,
  type NeighbourDistance,
  neighbours,
  type Probe,
  probesFor,
  sampleIds,
  searchIndex,
} from './measurement.ts'
import type { CurvePoint, Estimate, RecallCurve } from './recall-curve.ts'

/**
 * Values of ef_search. With lower ones, recall is much lower for new vectors than for the probes.
 */
const efforts = [40, 60, 80, 120, 160, 240, 360, 600, 1_000]
/**
 * The ef_search used before the exact comparison: the more it finds, the fewer rows the comparison
 * sends.
 */
const firstEffort = 200
/** For halfvec indexes. Signs rank so coarsely that all that are found are compared. */
const mostCandidates = 50
/** Above this recall, more effort gains nothing. */
const enough = 0.999
/** Probes searched for in one statement. A stop is noticed between statements. */
const batch = 50
const sampleSize = { least: 100, most: 300 }
/**
 * Components to compare: large projects get a smaller sample. 200,000 × 1,536 take half a minute.
 */
const usualWork = 100e9
/** Components compared in one statement. */
const workAtOnce = 500e6
/** The 0.95 quantile of the normal distribution, for a one-sided confidence of 95%. */
const quantile = 1.645

/**
 * Searches for probes between stored vectors at rising effort, and compares what is found with the
 * exact neighbours.
 * @param checkStop is called between statements, and throws to stop the measurement
 */
export function measureRecall(
  db: Db,
  index: SearchIndex,
  checkStop: () => void,
): Promise<RecallCurve> {
  return withSettings(db, measuringSettings, async () => {
    const wanted = Math.floor(usualWork / Math.max(components(index), 1))
    const size = Math.min(Math.max(wanted, sampleSize.least), sampleSize.most)
    const ids = await sampleIds(db, index, size)
    const probes = await probesFor(db, index, ids)
    const search = searcher(db, index, probes, checkStop)
    const sample = await exactNeighbours(db, index, search, probes, checkStop)
    const points: CurvePoint[] = []
    for (const efSearch of efforts) {
      const candidates = candidatesFor(index, efSearch)
      const found = await search(efSearch, candidates)
      const each = [...sample].map(([id, nearest]) => nearest.foundIn(found.get(id) ?? []))
      const estimate = estimateRecall(each)
      points.push({ efSearch, candidates, ...estimate })
      if (estimate.atLeast >= enough || estimate.recall === 1) break
    }
    return { vectors: index.vectors, sample: ids.length, points }
  })
}

type Found = ReadonlyMap<string, readonly NeighbourDistance[]>

const candidatesFor = ({ kind }: SearchIndex, efSearch: number) =>
  Math.min(Math.floor(efSearch * comparedOfFound), kind === 'bit' ? efSearch : mostCandidates)

function searcher(db: Db, index: SearchIndex, probes: readonly Probe[], checkStop: () => void) {
  return async (efSearch: number, limit: number): Promise<Found> => {
    const found = new Map<string, readonly NeighbourDistance[]>()
    for (let start = 0; start < probes.length; start += batch) {
      checkStop()
      const some = probes.slice(start, start + batch)
      for (const [id, near] of await searchIndex(db, index, some, efSearch, limit)) {
        found.set(id, near)
      }
    }
    return found
  }
}

/**
 * Starts from what the index finds, so that hardly any nearer vector is left for the comparison to
 * send.
 */
async function exactNeighbours(
  db: Db,
  index: SearchIndex,
  search: ReturnType<typeof searcher>,
  probes: readonly Probe[],
  checkStop: () => void,
): Promise<ReadonlyMap<string, NearestNeighbours>> {
  const sample = new Map<string, NearestNeighbours>()
  for (const [id, near] of await search(firstEffort, mostCandidates)) {
    const nearest = new NearestNeighbours()
    nearest.add(near)
    sample.set(id, nearest)
  }
  const rows = Math.ceil(workAtOnce / (index.dimensions * Math.max(probes.length, 1)))
  for (let after: string | undefined = ''; after !== undefined; ) {
    checkStop()
    const upTo: string | undefined = await textIdAfter(db, index.collectionId, after, rows)
    while (!(await compareRange(db, index, probes, sample, after, upTo))) checkStop()
    after = upTo
  }
  return sample
}

/**
 * Estimates recall from how many of the ten nearest each search found. The neighbours of one search tend to be missed together, so they count as fewer
 * independent ones: the effective sample size of clusters (Korn and Graubard, Survey Methodology
 * 24, 1998) goes into Wilson's bound, as Dean and Pagano recommend (Journal of Survey Statistics
 * and Methodology 3, 2015).
 */
export function estimateRecall(found: readonly number[]): Estimate {
  const wanted = found.length * neighbours
  if (wanted === 0) return { recall: 0, atLeast: 0 }
  const recall = found.reduce((sum, each) => sum + each, 0) / wanted
  const squares = found.reduce((sum, each) => sum + (each / neighbours - recall) ** 2, 0)
  const variance = squares / Math.max(found.length - 1, 1) / found.length
  const independent = variance > 0 ? Math.min((recall * (1 - recall)) / variance, wanted) : wanted
  return { recall, atLeast: wilson(recall, independent) }
}

/** The lower bound of Wilson's score interval for a share that was observed `count` times. */
function wilson(share: number, count: number): number {
  const z = quantile ** 2 / count
  const spread = Math.sqrt(share * (1 - share) * z + z ** 2 / 4)
  return Math.max(0, (share + z / 2 - spread) / (1 + z))
}
