import { median, percentile } from '../test/shared/percentiles.ts'
import type { Sample } from './jobs.ts'

export interface Figures {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly perSecond: number
}

export const figuresOf = ({ latencies, elapsed }: Sample): Figures => ({
  p50: percentile(latencies, 0.5),
  p95: percentile(latencies, 0.95),
  p99: percentile(latencies, 0.99),
  perSecond: (latencies.length * 1000) / elapsed,
})

export const medians = (rounds: readonly Figures[]): Figures => ({
  p50: median(rounds.map(({ p50 }) => p50)),
  p95: median(rounds.map(({ p95 }) => p95)),
  p99: median(rounds.map(({ p99 }) => p99)),
  perSecond: median(rounds.map(({ perSecond }) => perSecond)),
})

export const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length
