import type { Slots } from '../quantized-rows.ts'

/** At most so many of the slots, evenly spread: rows in their order are often alike. */
export function sampleOf(slots: Slots, most: number): Slots {
  const count = slots.length
  if (count <= most) return slots
  // By the golden ratio; with a step that has no common divisor it meets every slot once.
  let step = Math.round(count * 0.618)
  while (greatestDivisor(step, count) > 1) step += 1
  return Int32Array.from({ length: most }, (_, met) => slots[(met * step) % count] ?? 0)
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b))
