import { AsyncResource } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, Gauge, type Registry } from 'prom-client'

/** A number, or one for each value of the label. */
type Value = number | Readonly<Record<string, number>>

/** What metrics show of some figures, by their names. */
export type MetricTable<Figures> = Readonly<
  Record<string, readonly [help: string, valueIn: (figures: Figures) => Value]>
>

/**
 * Registers metrics whose figures are read when somebody asks. Those without figures are left out.
 */
export function watch<Figures>(
  registers: Registry[],
  table: MetricTable<Figures>,
  read: () => Figures | undefined | Promise<Figures | undefined>,
  label?: string,
): void {
  const labelNames = label === undefined ? [] : [label]
  for (const [name, [help, valueIn]] of Object.entries(table)) {
    // By convention, the names of counters end so.
    const Metric = name.endsWith('_total') ? Counter : Gauge
    const metric: Counter | Gauge = new Metric({
      name,
      help,
      labelNames,
      registers,
      async collect(): Promise<void> {
        const figures = await read()
        metric.reset()
        const value = figures && valueIn(figures)
        if (value === undefined) metric.remove()
        else if (typeof value === 'number') metric.inc(value)
        else for (const [of, each] of Object.entries(value)) metric.inc({ [`${label}`]: of }, each)
      },
    })
  }
}

/**
 * Scrapers wait no longer for the database, because the other metrics matter most while it does not
 * answer.
 */
const patienceMs = 2_000

/**
 * Reads from the database at most once per interval, for all scrapers together.
 * @returns a function that returns the figures, or undefined while the database does not answer in
 * time
 */
export function readSeldom<T>(
  read: () => Promise<T>,
  everyMs: number,
): () => Promise<T | undefined> {
  // Runs outside the first scraper's request, because others wait for the figures even if that one
  // leaves.
  const unasked = new AsyncResource('figures')
  let latest: { readonly at: number; readonly figures: Promise<T | undefined> } | undefined
  return () => {
    const now = performance.now()
    if (latest === undefined || now - latest.at > everyMs) {
      const figures = unasked.runInAsyncScope(read).catch(() => undefined)
      latest = { at: now, figures }
    }
    return Promise.race([latest.figures, sleep(patienceMs, undefined, { ref: false })])
  }
}
