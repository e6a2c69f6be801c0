import type { Candidate, Query } from './query.ts'
import { roughError } from './ranking.ts'

/** What a search has found, and whether its statements have seen different vectors. */
export interface Looked<Found> {
  readonly found: Found
  readonly hasChanged: boolean
}

/**
 * Looks again if something has changed meanwhile: what was searched for, or what was found. Only once,
 * since that may take seconds.
 */
export async function whileStill<Found>(look: () => Promise<Looked<Found>>): Promise<Found> {
  const { found, hasChanged } = await look()
  return hasChanged ? (await look()).found : found
}

/** Whether vectors differ from those of before, which were compared roughly. */
export function haveChanged(
  query: Query,
  before: readonly Candidate[],
  now: readonly Candidate[],
): boolean {
  const error = roughError(query)
  const distances = new Map(before.map(({ id, distance }) => [id, distance]))
  return now.some(({ id, distance }) => Math.abs(distance - (distances.get(id) ?? 0)) > error)
}
