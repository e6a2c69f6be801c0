import { randomNumbers } from '../../test/shared/random-numbers.ts'
import { normal } from '../data.ts'

/** Of all projects, by their number. */
export interface Projects {
  readonly bytes: Float64Array
  readonly requests: Float64Array
}

/** Sizes of so many projects, the same ones each time. */
export type Sizes = (count: number) => Float64Array

const seed = 26

/** The usual project has some hundred texts and few have millions, as sizes of files, corpora and tenants are found to be. */
export const lognormal =
  (sigma: number): Sizes =>
  (count) => {
    const random = randomNumbers(seed)
    return Float64Array.from({ length: count }, () => Math.exp(sigma * normal(random)))
  }

/** The n-th largest has 1/n of the largest: a tail that no number of projects averages out. */
export const zipf: Sizes = (count) =>
  Float64Array.from({ length: count }, (_, rank) => 1 / (rank + 1))

/** A larger project is asked more often, but by its square root alone, and some of any size by many. */
export function withRequests(bytes: Float64Array): Projects {
  const random = randomNumbers(seed + 1)
  return { bytes, requests: bytes.map((size) => Math.sqrt(size) * Math.exp(1.5 * normal(random))) }
}
