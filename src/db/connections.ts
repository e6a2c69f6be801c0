/** The number of connections for each kind of work. */
export type Connections = Readonly<Record<'short' | 'search' | 'bulk' | 'maintenance', number>>

/**
 * Divides so many connections, at least 6. With fewer, a transaction that waits for a lock would
 * keep others from being identified, and an export, which lasts as long as its client reads, would
 * keep everybody from searching.
 */
export function connectionsOf(total: number): Connections {
  const short = Math.floor(total / 3)
  const bulk = Math.max(1, Math.floor(total / 8))
  // With only one, the removal of deleted embeddings waits for index builds.
  const maintenance = total === 6 ? 1 : 2
  return { short, search: total - short - bulk - maintenance, bulk, maintenance }
}

/** How many of the short pool's connections transactions may use at the same time; at least one. */
export const maxLockingOf = (connections: number) =>
  Math.max(1, connections - Math.min(2, Math.ceil(connections / 3)))
