/** What is measured of a server from outside. */
export interface Sample {
  /** Minutes. */
  readonly at: number
  /** MiB. */
  readonly rss: number
  readonly files: number
  readonly connections: number
}

/** The growth of each figure in a minute, by least squares over the last two thirds. */
export function slopes(samples: readonly Sample[]) {
  const warm = samples.slice(Math.floor(samples.length / 3))
  const slopeOf = (figure: 'rss' | 'files' | 'connections') =>
    slope(warm.map((sample) => [sample.at, sample[figure]] as const))
  return { rss: slopeOf('rss'), files: slopeOf('files'), connections: slopeOf('connections') }
}

function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (which: 0 | 1) => points.reduce((sum, at) => sum + at[which], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const along = points.reduce((sum, at) => sum + (at[0] - x) * (at[1] - y), 0)
  const across = points.reduce((sum, at) => sum + (at[0] - x) ** 2, 0)
  return across === 0 ? 0 : along / across
}
