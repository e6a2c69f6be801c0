/** Of figures in ascending order; undefined when there are none. */
export const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

/** Of figures in any order; NaN when there are none. */
export const percentile = (values: readonly number[], share: number) =>
  quantile(
    values.toSorted((a, b) => a - b),
    share,
  ) ?? Number.NaN

export const median = (values: readonly number[]) => percentile(values, 0.5)
