/** Whether everything is tried of which `npm test` tries a sample. */
export const isFullRun = process.env['TEST_FULL'] === '1'

/** What is to be tried: all in a full run, else what `isKept`; it says how much that is. */
export function sampled<T>(
  what: string,
  all: readonly T[],
  isKept: (item: T, index: number) => boolean,
): readonly T[] {
  const kept = isFullRun ? all : all.filter(isKept)
  tell(what, kept.length, all.length)
  return kept
}

/** The number of things to try, of which there are `all` in a full run and one in `divisor` else. */
export function sampledCount(what: string, all: number, divisor: number): number {
  const kept = isFullRun ? all : Math.ceil(all / divisor)
  tell(what, kept, all)
  return kept
}

function tell(what: string, kept: number, all: number): void {
  const hint = kept < all ? ' (TEST_FULL=1 tries all)' : ''
  process.stderr.write(`Trying ${kept} of ${all} ${what}${hint}\n`)
}
