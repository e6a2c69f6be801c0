/**
 * The server's pools of connections to PostgreSQL, as src/db/postgres/engine.ts makes them. The
 * statement timeout, which each connection sets first, tells whose it is.
 */
export const pools = {
  short: { connections: 10, statementMs: 15_000 },
  search: { connections: 16, statementMs: 60_000 },
  bulk: { connections: 4, statementMs: 120_000 },
} as const

export type PoolName = keyof typeof pools
export const poolNames = ['short', 'search', 'bulk'] as const

/** @param bytes what a client sends */
export function poolOf(bytes: Buffer): PoolName | undefined {
  const [, timeout] = /set statement_timeout = (\d+)/.exec(bytes.toString('latin1')) ?? []
  return poolNames.find((name) => `${pools[name].statementMs}` === timeout)
}
