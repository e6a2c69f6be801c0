import { sql } from 'drizzle-orm'
import { type Caller, namedKeyOf } from '../../access/caller.ts'
import { PeriodicTask } from '../../concurrency/periodic-task.ts'
import type { Database, Db } from '../../db/database.ts'
import { userKeys } from '../../db/key-schema.ts'
import type { Log } from '../../log.ts'

/** The interval of writes. Requests do not wait for them. */
const writeEveryMs = 60_000

/** Tracks in memory when each named key was last used, and stores it about every minute. */
export class KeyUses extends PeriodicTask {
  readonly #db: Db
  readonly #log: Log
  /** Uses that are not stored yet, by key id. */
  readonly #pending = new Map<number, Date>()

  constructor({ short }: Database, log: Log) {
    super({ everyMs: writeEveryMs, soonMs: writeEveryMs, retryMs: writeEveryMs })
    this.#db = short.db
    this.#log = log
  }

  protected override work(): Promise<void> {
    return this.write()
  }

  protected override failed(cause: unknown): void {
    this.#log.warn('when keys were last used could not be written down', { cause })
  }

  note(caller: Caller): void {
    const key = namedKeyOf(caller)
    if (key !== undefined) this.#pending.set(key.keyId, new Date())
  }

  /** The later of the stored time and the time that this server has seen since. */
  latest({ keyId, lastUsedAt }: Pick<typeof userKeys.$inferSelect, 'keyId' | 'lastUsedAt'>) {
    const seen = this.#pending.get(keyId)
    return seen !== undefined && (lastUsedAt === null || seen > lastUsedAt) ? seen : lastUsedAt
  }

  /** Uses that cannot be stored stay pending for the next time. */
  async write(): Promise<void> {
    const uses = [...this.#pending]
    if (uses.length === 0) return
    const pending = JSON.stringify(uses.map(([id, at]) => ({ id, at })))
    // `skip locked` avoids waiting for a transaction that deletes a key or its user.
    await this.#db.execute(sql`with used as (
        select ${userKeys.keyId}, pending.at
        from jsonb_to_recordset(${pending}::jsonb) as pending (id bigint, at timestamptz)
        join ${userKeys} on ${userKeys.keyId} = pending.id
        where ${userKeys.lastUsedAt} is null or ${userKeys.lastUsedAt} < pending.at
        for update of user_keys skip locked
      )
      update ${userKeys} set last_used_at = used.at from used where ${userKeys.keyId} = used.key_id`)
    for (const [id, at] of uses) if (this.#pending.get(id) === at) this.#pending.delete(id)
  }
}
