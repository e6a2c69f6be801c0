import { sql } from 'drizzle-orm'

/** Null if the engine itself ends statements that take too long. */
const end = sql`(select statement_timestamp() + nullif(current_setting('semblance.filter_time', true), '')::interval)`

/**
 * Ends a statement with an error (SQLSTATE 2201E, which nothing else here causes) if the embedded
 * database has evaluated a filter for too long. It cannot cancel a statement, and others wait for
 * it.
 */
export const isInTime = sql`(coalesce(clock_timestamp() < ${end}, true)
  or ln(-extract(epoch from clock_timestamp())) is null)`
