import type { SessionStatement } from './session.ts'

const statement = (text: string): SessionStatement => ({ text, params: [], method: 'all' })

/** Which server this is, and which history it writes: a promotion begins another timeline. */
export interface PrimaryIdentity {
  readonly system: string
  readonly timeline: number
}

export const primaryIdentity = statement(`
  select system_identifier::text, ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int
  from pg_control_system()`)

/** From the row that `primaryIdentity` selects. */
export function asPrimary(row: unknown): PrimaryIdentity {
  const [system, timeline] = Array.isArray(row) ? row : []
  return { system: `${system}`, timeline: Number(timeline) }
}

/** Of a timeline a server that is in recovery tells when it has written it to its files. */
export const replicaIdentity = statement(`
  select pg_is_in_recovery(), system_identifier::text, timeline_id, min_recovery_end_timeline
  from pg_control_system(), pg_control_checkpoint(), pg_control_recovery()`)

export const isSamePrimary = (one: PrimaryIdentity, other: PrimaryIdentity) =>
  one.system === other.system && one.timeline === other.timeline

/** Fails where a table is not there yet, and waits where a replay that was paused holds one locked. */
export const fromTables = statement(`
  select (select count(*) from collections where collection_id = 0),
    (select count(*) from embeddings where collection_id = 0)`)

/**
 * Why a server is no replica of the primary that may be read from, if it is none.
 * @param row what `replicaIdentity` selects
 */
export function objectionTo(
  [isInRecovery, system, checkpoint, recovery]: readonly unknown[],
  primary: PrimaryIdentity,
): string | undefined {
  if (isInRecovery !== true) return 'it is not in recovery: it was promoted, or is no replica'
  if (system !== primary.system) return 'it is a replica of another server'
  const timelines = [Number(checkpoint), Number(recovery)]
  const other = timelines.find((each) => each !== 0 && each !== primary.timeline)
  if (other === undefined) return undefined
  return `it is on timeline ${other}, and the primary on ${primary.timeline}; once it follows the primary, its next checkpoint mends that`
}
