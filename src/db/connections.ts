import { StartupError } from '../errors.ts'

/** The number of connections for each kind of work. */
export type Connections = Readonly<Record<'short' | 'search' | 'bulk' | 'maintenance', number>>

type Divided = Exclude<keyof Connections, 'maintenance'>

const usualMaintenance = 2
/** With only one connection, the removal of deleted embeddings waits for index builds. */
const leastMaintenance = 1
/** Connections are also divided in this proportion. */
const usual: Record<Divided, number> = { short: 10, search: 16, bulk: 4 }
/**
 * With fewer connections, a transaction that waits for a lock would keep others from being
 * identified, and an export, which lasts as long as its client reads, would keep everybody from
 * searching.
 */
const fewest: Record<Divided, number> = { short: 2, search: 2, bulk: 1 }
const divided: readonly Divided[] = ['short', 'search', 'bulk']

export const usualConnections: Connections = { ...usual, maintenance: usualMaintenance }

export const sumOf = (connections: Connections) =>
  Object.values(connections).reduce((sum, size) => sum + size, 0)

const settingOf = (pool: Divided) => `SERVICE_POOL${pool.toUpperCase()}`

/**
 * Divides `total` connections. Pools with a given size keep it, and the others share the rest in
 * the usual proportion, each with at least the fewest.
 * @throws StartupError if there are not enough
 */
export function connectionsOf(
  total: number,
  given: { readonly [pool in Divided]?: number | undefined },
): Connections {
  const free = divided.filter((pool) => given[pool] === undefined)
  const { short = fewest.short, search = fewest.search, bulk = fewest.bulk } = given
  const sizes = { short, search, bulk }
  let spare = total - leastMaintenance - divided.reduce((sum, pool) => sum + sizes[pool], 0)
  if (spare < 0) throw new StartupError(tooMany(total, total - spare, free))
  const maintenance = Math.min(usualMaintenance, leastMaintenance + spare)
  spare -= maintenance - leastMaintenance
  for (; spare > 0 && free.length > 0; spare -= 1) {
    // Highest averages (Sainte-Laguë): each pool differs from its exact share only by rounding.
    const claim = (pool: Divided) => usual[pool] / (sizes[pool] + 0.5)
    sizes[free.reduce((best, pool) => (claim(pool) > claim(best) ? pool : best))] += 1
  }
  return { ...sizes, maintenance }
}

/** How many of the short pool's connections transactions may use at the same time; at least one. */
export const maxLockingOf = (connections: number) =>
  Math.max(1, connections - Math.min(2, Math.ceil(connections / 3)))

function tooMany(total: number, needed: number, free: readonly Divided[]): string {
  const given = divided.filter((pool) => !free.includes(pool)).map(settingOf)
  const least = free.reduce((sum, pool) => sum + fewest[pool], 0)
  const others = free.length === 0 ? '' : ` and ${least} for the other pools`
  const sum = `${given.join(', ')}${others} and ${leastMaintenance} for maintenance make ${needed} connections`
  return `${sum}, more than SERVICE_DBCONNECTIONS (${total}); raise it, or lower the others`
}
