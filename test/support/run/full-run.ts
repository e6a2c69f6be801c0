/** Whether everything is tried of which `npm test` tries a sample. */
export const isFullRun = process.env['TEST_FULL'] === '1'

/** Whether this is `npm test`: test/vitest.config.ts names the files that it leaves out. */
export const isQuickRun = process.env['TEST_QUICK'] === '1' && !isFullRun

const { TEST_TURN, TEST_TURNS = '7' } = process.env
/** Runs in CI after which each case has been tried: each tries the sample, and another share of the rest. */
const turns = Number(TEST_TURNS)
/** The number of this run of CI; undefined elsewhere. */
const turn = TEST_TURN === undefined ? undefined : Number(TEST_TURN)

/**
 * Whether this case outside of the sample is due.
 * @param index counts such cases, each a turn later than the one before
 * @param every in how many turns each is due once
 */
export const isDue = (index: number, every = turns) =>
  isFullRun || (turn !== undefined && index % every === turn % every)

/** Whether CI tries this only where it is due, as what it tries elsewhere each time. */
export const isLeftOut = (index: number, every = turns) =>
  turn !== undefined && !isDue(index, every)

/** A number for each file, by its name alone: the others may come and go. */
export function numberOf(file: string): number {
  const name = file.replace(/^.*\//, '')
  return [...name].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 4_294_967, 0)
}

/** What is to be tried: all in a full run, else what `isKept` or is due; it says how much that is. */
export function sampled<T>(
  what: string,
  all: readonly T[],
  isKept: (item: T, index: number) => boolean,
): readonly T[] {
  const kept = all.filter((item, index) => isKept(item, index) || isDue(index))
  tell(what, kept.length, all.length)
  return kept
}

/** The numbers of the things to try, of which there are `all` in a full run and one in `divisor` else. */
export function sampledNumbers(what: string, all: number, divisor: number): readonly number[] {
  const count = isFullRun ? all : Math.ceil(all / Math.min(divisor, turns))
  const first = isFullRun ? 0 : (turn ?? 0) * count
  tell(what, count, all)
  return Array.from({ length: count }, (_, index) => (first + index) % all)
}

function tell(what: string, kept: number, all: number): void {
  const hint = kept < all ? ' (TEST_FULL=1 tries all)' : ''
  process.stderr.write(`Trying ${kept} of ${all} ${what}${hint}\n`)
}
