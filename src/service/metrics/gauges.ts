import { AsyncResource } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge, type Registry } from 'prom-client'

/** What gauges show of some figures, by their names. A gauge without a value is left out. */
export type Gauges<Figures> = Readonly<
  Record<string, readonly [help: string, valueIn: (figures: Figures) => number | undefined]>
>

/** Registers gauges whose figures are read when somebody asks. */
export function watch<Figures>(
  registers: Registry[],
  gauges: Gauges<Figures>,
  read: () => Promise<Figures | undefined>,
): void {
  for (const [name, [help, valueIn]] of Object.entries(gauges)) {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const figures = await read()
        const value = figures && valueIn(figures)
        if (value === undefined) this.remove()
        else this.set(value)
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
