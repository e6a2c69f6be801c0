/** All numbers below `count`, each prefix evenly spread: rows in their order are often alike. */
export function* spread(count: number): Generator<number, undefined> {
  // By the golden ratio; with a step that has no common divisor it meets every number.
  let step = Math.max(1, Math.round(count * 0.618))
  while (greatestDivisor(step, count) > 1) step += 1
  for (let met = 0, at = 0; met < count; met += 1, at = (at + step) % count) yield at
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b))
