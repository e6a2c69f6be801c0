import type { Target } from '../report.ts'
import type { Kind } from './peer.ts'

/** What was measured of one of those that are compared; rates are of 16 clients. */
export interface Compared {
  readonly data: string
  readonly server: string
  readonly kind: Kind
  readonly recall: number
  readonly p50: number
  readonly alonePerSecond: number
  readonly perSecond: number
  readonly cpuMs: number | undefined
  readonly filteredRecall: number
  readonly filteredP50: number
  readonly filteredPerSecond: number
  readonly uploaded: number | undefined
  readonly readySeconds: number | undefined
  readonly memory: number | undefined
}

type ServerTarget = Target & { readonly server: string }

/** The goals of the service on both engines, against what was measured beside it. */
export function targetsOf(rows: readonly Compared[], dimensions: number): ServerTarget[] {
  return rows.flatMap((row) =>
    (row.kind === 'embedded' || row.kind === 'postgres'
      ? [...common(row), ...besideChroma(row, rows), ...own(row, rows, dimensions)]
      : []
    ).map((target) => ({ server: row.server, ...target })),
  )
}

const common = ({ recall, filteredRecall }: Compared): Target[] => [
  { name: 'recall@10', value: recall, atLeast: 0.99 },
  { name: 'recall@10, filtered', value: filteredRecall, atLeast: 0.99 },
]

const besideChroma = ({ kind, perSecond }: Compared, rows: readonly Compared[]): Target[] =>
  rows
    .filter((other) => other.kind === 'chroma')
    .map((other) => ({
      name: `/s ÷ ${other.server}`,
      value: perSecond / other.perSecond,
      atLeast: kind === 'embedded' ? 2 : 1.5,
    }))

function own(row: Compared, rows: readonly Compared[], dimensions: number): Target[] {
  const filtered = { name: '/s filtered ÷ not', value: row.filteredPerSecond / row.perSecond }
  if (row.kind === 'embedded') {
    return [
      { name: 'p50 ms', value: row.p50, atMost: 3 },
      { ...filtered, atLeast: 0.6 },
      { name: 'upload vectors/s', value: row.uploaded ?? 0, atLeast: 8_000 },
    ]
  }
  const bare = rows.find(({ kind }) => kind === 'bare')
  const besideBare = bare && [
    {
      name: '/s ÷ bare',
      value: row.perSecond / bare.perSecond,
      atLeast: dimensions < 1_000 ? 0.7 : 0.8,
    },
    { name: 'p50 ÷ bare', value: row.p50 / bare.p50, atMost: 1.25 },
  ]
  return [...(besideBare ?? []), { ...filtered, atLeast: 0.8 }]
}
