import { setTimeout as sleep } from 'node:timers/promises'
import { drizzle } from 'drizzle-orm/pg-proxy'
import type { Db, Transaction } from '../database.ts'
import { isRetryable } from '../errors.ts'
import type { Session } from './session.ts'

/** How often a transaction is tried that PostgreSQL asks to run again. */
const maxAttempts = 4

/** A handle for statements on this connection. */
export const dbOn = (session: Session): Db =>
  drizzle((text, params, method) => session.run({ text, params, method }))

/** Runs `work` between `begin` and the end of the transaction. */
export async function inTransaction<T>(
  session: Session,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const copyIn: Transaction['copyIn'] = (target, rows) => session.copyIn(target, rows)
  const copyOut: Transaction['copyOut'] = (query) => session.copyOut(query)
  try {
    const result = await work({ db: dbOn(session), copyIn, copyOut })
    await session.commit()
    return result
  } catch (error) {
    // A refusal by PostgreSQL, or a loss, has ended the connection, and the transaction with it.
    if (session.alive) await session.run({ text: 'rollback', params: [], method: 'execute' })
    throw error
  }
}

/** Runs an attempt again if PostgreSQL asks for it. */
export async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = maxAttempts - 1; ; left -= 1) {
    try {
      return await attempt()
    } catch (error) {
      if (left === 0 || !isRetryable(error)) throw error
      await sleep(10 + Math.random() * 40)
    }
  }
}
