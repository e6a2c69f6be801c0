import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import type { Tally } from '../tally.ts'
import type { IndexWatch, Life } from './index-watch.ts'
import { expected, faultsOf, listIndexes, listStored, type Stored } from './indexes.ts'

/** A server that hears of a change only by looking at everything does so once a minute. */
const patienceMs = 110_000
/** Two looks after the last upload: until then an index may be made anew for what was added. */
const calmMs = 12_000
/** What a server had measured just before the last change may still be built. */
const lateMs = 3_000
const pollMs = 250

/**
 * Waits until the indexes are as they should be, and stay so for a while.
 * @param since when the last change was made
 * @returns after how many milliseconds they were; undefined when they never were
 */
export async function untilRight(
  sql: postgres.Sql,
  watch: IndexWatch,
  since: number,
  tally: Tally,
): Promise<number | undefined> {
  const deadline = since + patienceMs + calmMs
  let rightSince: number | undefined
  for (; ; await sleep(pollMs)) {
    const faults = faultsOf(await listIndexes(sql), await listStored(sql))
    if (faults.length > 0) rightSince = undefined
    else rightSince ??= performance.now()
    const calmSince = Math.max(rightSince ?? Number.POSITIVE_INFINITY, watch.changedAt, since)
    if (performance.now() - calmSince > calmMs) return calmSince - since
    if (performance.now() < deadline) continue
    for (const fault of faults.length > 0 ? faults : ['indexes come and go']) {
      tally.violate('other violations', `${fault}, ${patienceMs / 1_000} s after the last change`)
    }
    return undefined
  }
}

/** What was built twice, for nobody, or only to be dropped since the last change. */
export function uselessWork(
  lives: readonly Life[],
  since: number,
  stored: readonly Stored[],
): string[] {
  const { required, optional } = expected(stored)
  const late = lives.filter((life) => life.since > since + lateMs)
  return [...new Set(late.map(({ index }) => index.key))].flatMap((key) => {
    const built = late.filter(({ index }) => index.key === key)
    const names = `${built[0]?.index.name}: ${built.map(times(since)).join(', ')}`
    if (built.length > 1) return [`built twice: ${names}`]
    const isDeserved = key !== undefined && (required.has(key) || optional.has(key))
    if (!isDeserved) return [`built for nothing: ${names}`]
    return built.some(isOver) ? [`dropped for nothing: ${names}`] : []
  })
}

const isOver = ({ until }: Life) => until !== undefined
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
const times =
  (since: number) =>
  ({ since: from, until }: Life) =>
    `${seconds(from - since)} to ${until === undefined ? 'now' : seconds(until - since)}`

/** What was built or dropped though nothing had changed. */
export const unrest = (lives: readonly Life[], since: number): string[] =>
  lives.flatMap(({ index: { name }, since: from, until }) => [
    ...(from > since ? [`built when nothing had changed: ${name}`] : []),
    ...(until !== undefined && until > since ? [`dropped when nothing had changed: ${name}`] : []),
  ])
