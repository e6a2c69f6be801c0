import { basename, resolve } from 'node:path'
import { type VectorFile, vectorFileIn } from './peers/data-set.ts'
import { ownRuntime, type Runtime, runtimeAt } from './server.ts'

/** How much is measured; every part takes its sizes from here. */
export interface Plan {
  /** Of the server under test; clients run where the bench does. */
  readonly runtime: Runtime
  /** Another build of the service, compared in `peers` and `filters`. */
  readonly otherBuild?: Runtime
  /** Each round measures every side once; what is shown are medians over the rounds. */
  readonly rounds: number
  readonly roundMs: number
  readonly clients: readonly number[]
  /** Queries of each kind, by id and by vector, that the recall is computed for. */
  readonly queries: number
  readonly searches: readonly SearchSize[]
  readonly otherProjects: number
  readonly ingest: {
    readonly dimensions: readonly number[]
    readonly clients: readonly number[]
    readonly roundMs: number
  }
  readonly peers: {
    /** Where there are files, they are compared instead of the sizes. */
    readonly files: readonly VectorFile[]
    readonly sizes: readonly SearchSize[]
    readonly queries: number
  }
}

export interface SearchSize {
  readonly vectors: number
  readonly dimensions: number
  /** All: as the service chooses, and where that is approximate with exact=true as well. */
  readonly modes: 'all' | 'default' | 'exact'
}

const allDimensions = [384, 768, 1536, 3072]

const sizes = (...counts: number[]): SearchSize[] =>
  counts.flatMap((vectors) =>
    allDimensions.map((dimensions) => ({ vectors, dimensions, modes: 'all' as const })),
  )

const peerSizes: readonly SearchSize[] = [
  { vectors: 30_902, dimensions: 384, modes: 'default' },
  { vectors: 120_000, dimensions: 384, modes: 'default' },
  { vectors: 50_000, dimensions: 1536, modes: 'default' },
]

/** Such as `10000x1536,200000x1536`. */
export function sizesIn(text: string): SearchSize[] {
  return text.split(',').map((size) => {
    const [, vectors, dimensions] = /^(\d+)x(\d+)$/.exec(size) ?? []
    if (vectors === undefined) throw new Error(`'${size}' is no size such as 10000x1536`)
    return { vectors: Number(vectors), dimensions: Number(dimensions), modes: 'all' as const }
  })
}

export const standard: Plan = {
  runtime: ownRuntime,
  rounds: 5,
  roundMs: 1_000,
  clients: [1, 4, 16],
  queries: 50,
  searches: sizes(1_000, 10_000, 50_000, 200_000),
  otherProjects: 1_000,
  ingest: { dimensions: [384, 1536, 3072], clients: [1, 4], roundMs: 4_000 },
  peers: { files: [], sizes: peerSizes, queries: 500 },
}

export const full: Plan = {
  ...standard,
  searches: [...standard.searches, ...sizes(1_000_000)],
}

/** Some three minutes, for a look after a change. */
export const quick: Plan = {
  runtime: ownRuntime,
  rounds: 3,
  roundMs: 250,
  clients: [1, 16],
  queries: 12,
  searches: [
    { vectors: 10_000, dimensions: 384, modes: 'default' },
    { vectors: 10_000, dimensions: 1536, modes: 'exact' },
    { vectors: 50_000, dimensions: 1536, modes: 'default' },
  ],
  otherProjects: 200,
  ingest: { dimensions: [1536], clients: [4], roundMs: 1_500 },
  peers: { files: [], sizes: peerSizes.slice(0, 1), queries: 200 },
}

export interface Flags {
  readonly quick: boolean
  readonly full: boolean
  readonly sizes: string | undefined
  readonly vectors: readonly string[]
  readonly runtime: string | undefined
  readonly beside: string | undefined
}

const buildAt = (runtime: Runtime, folder: string): Runtime => ({
  ...runtime,
  name: `${runtime.name}, ${basename(resolve(folder))}`,
  program: resolve(folder, 'dist/main.js'),
})

export function planFor(flags: Flags): Plan {
  const { sizes, vectors } = flags
  const runtime = flags.runtime === undefined ? ownRuntime : runtimeAt(flags.runtime)
  const usual = flags.quick ? quick : flags.full ? full : standard
  const { beside } = flags
  const otherBuild = beside === undefined ? undefined : buildAt(runtime, beside)
  const chosen = { ...usual, runtime, ...(otherBuild && { otherBuild }) }
  const searches = sizes === undefined ? undefined : sizesIn(sizes)
  const peers = { ...chosen.peers, files: vectors.map(vectorFileIn) }
  if (searches === undefined) return { ...chosen, peers }
  return { ...chosen, searches, peers: { ...peers, sizes: searches } }
}
