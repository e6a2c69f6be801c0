import { sql } from 'drizzle-orm'

/** Null where the engine itself ends statements that take too long. */
const end = sql`(select statement_timestamp() + nullif(current_setting('semblance.filter_time', true), '')::interval)`

/**
 * Ends a statement with an error that says so (SQLSTATE 2201E, of nothing else here) when the embedded
 * database has evaluated a filter for too long: it cannot cancel one, and others wait.
 */
export const isInTime = sql`(coalesce(clock_timestamp() < ${end}, true)
  or ln(-extract(epoch from clock_timestamp())) is null)`
