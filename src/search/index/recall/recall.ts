import { textIdAfter } from '../../../collections/keys.ts'
import type { Db } from '../../../db/database.ts'
import { comparedOfFound } from '../effort.ts'
import { components, type SearchIndex } from '../policy.ts'
import {
  asSearches,
  compareRange,
  NearestNeighbours,
  type NeighbourDistance,
  neighbours,
  type Probe,
  probesFor,
  sampleIds,
  searchIndex,
} from './measurement.ts'
import { type CurvePoint, type Estimate, type RecallCurve, usualRecall } from './recall-curve.ts'

/**
 * Values of ef_search. With lower ones, recall is much lower for new vectors than for the probes.
 */
const efforts = [40, 60, 80, 120, 160, 240, 360, 600, 1_000]
/**
 * The ef_search used before the exact comparison: the more it finds, the fewer rows the comparison
 * sends.
 */
const firstEffort = 200
/**
 * How close to get to the least sufficient ef_search: each step of looking for it costs a second.
 */
const closeness = 1.15
/** For halfvec indexes. Signs rank so coarsely that all that are found are compared. */
const candidates = [15, 20, 30, 50]
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
 * @returns undefined if it was stopped
 */
export function measureRecall(
  db: Db,
  index: SearchIndex,
  isStopped: () => boolean,
): Promise<RecallCurve | undefined> {
  return asSearches(db, async () => {
    const wanted = Math.floor(usualWork / Math.max(components(index), 1))
    const size = Math.min(Math.max(wanted, sampleSize.least), sampleSize.most)
    const ids = await sampleIds(db, index, size)
    const probes = await probesFor(db, index, ids)
    const search = searcher(db, index, probes, isStopped)
    const sample = await exactNeighbours(db, index, search, probes, isStopped)
    if (sample === undefined) return undefined
    const points: CurvePoint[] = []
    for (let next: number | undefined = efforts[0]; next !== undefined; next = nextEffort(points)) {
      const found = await search(next, maxCandidates(index, next))
      if (found === undefined) return undefined
      points.push(pointOf(index, next, found, sample))
      points.sort((a, b) => a.efSearch - b.efSearch)
    }
    return { vectors: index.vectors, sample: ids.length, points }
  })
}

type Found = ReadonlyMap<string, readonly NeighbourDistance[]>

const maxCandidates = ({ kind }: SearchIndex, efSearch: number) =>
  Math.min(
    Math.floor(efSearch * comparedOfFound),
    kind === 'bit' ? efSearch : Math.max(...candidates),
  )

/**
 * The next value of the list until more effort gains nothing; then a value between the two points
 * around the default recall.
 */
function nextEffort(points: readonly CurvePoint[]): number | undefined {
  const last = points.at(-1)
  if (last === undefined) return efforts[0]
  if (last.atLeast < enough && last.recall < 1) {
    const next = efforts.find((efSearch) => efSearch > last.efSearch)
    if (next !== undefined) return next
  }
  const reached = points.findIndex(({ atLeast }) => atLeast >= usualRecall)
  const below = points[reached - 1]
  const above = points[reached]
  if (below === undefined || above === undefined) return undefined
  if (above.efSearch <= below.efSearch * closeness) return undefined
  return Math.round(Math.sqrt(below.efSearch * above.efSearch))
}

function searcher(db: Db, index: SearchIndex, probes: readonly Probe[], isStopped: () => boolean) {
  return async (efSearch: number, limit: number): Promise<Found | undefined> => {
    const found = new Map<string, readonly NeighbourDistance[]>()
    for (let start = 0; start < probes.length; start += batch) {
      if (isStopped()) return undefined
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
  isStopped: () => boolean,
): Promise<ReadonlyMap<string, NearestNeighbours> | undefined> {
  const sample = new Map<string, NearestNeighbours>()
  for (const [id, near] of (await search(firstEffort, Math.max(...candidates))) ?? []) {
    const nearest = new NearestNeighbours()
    nearest.add(near)
    sample.set(id, nearest)
  }
  const rows = Math.ceil(workAtOnce / (index.dimensions * Math.max(probes.length, 1)))
  for (let after: string | undefined = ''; after !== undefined; ) {
    if (isStopped()) return undefined
    const upTo: string | undefined = await textIdAfter(db, index.collectionId, after, rows)
    while (!(await compareRange(db, index, probes, sample, after, upTo)))
      if (isStopped()) return undefined
    after = upTo
  }
  return sample
}

/** The fewest candidates that reach the same recall as the most. */
function pointOf(
  index: SearchIndex,
  efSearch: number,
  found: Found,
  sample: ReadonlyMap<string, NearestNeighbours>,
): CurvePoint {
  const estimate = (count: number) => {
    const each = [...sample].map(([id, nearest]) => nearest.foundIn(found.get(id) ?? [], count))
    return { efSearch, candidates: count, ...estimateRecall(each, neighbours) }
  }
  const most = estimate(maxCandidates(index, efSearch))
  if (index.kind === 'bit') return most
  const fewer = candidates.filter((count) => count < most.candidates).map(estimate)
  return fewer.find(({ recall }) => recall === most.recall) ?? most
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
