/**
 * The server's pools of connections to PostgreSQL, as src/db/postgres/engine.ts makes them. The
 * statement timeout, which is in the first message of a connection, tells whose it is.
 */
export const pools = {
  access: { connections: 4, statementMs: 5_000 },
  short: { connections: 6, statementMs: 15_000 },
  search: { connections: 16, statementMs: 60_000 },
  bulk: { connections: 4, statementMs: 120_000 },
} as const

export type PoolName = keyof typeof pools
export const poolNames = ['access', 'short', 'search', 'bulk'] as const

/** @param startup the first message of a connection */
export function poolOf(startup: Buffer): PoolName | undefined {
  const [, timeout] = /\0statement_timeout\0(\d+)/.exec(startup.toString('latin1')) ?? []
  return poolNames.find((name) => `${pools[name].statementMs}` === timeout)
}
