import type { Database } from '../../db/database.ts'
import type { SearchIndexes } from '../../search-indexes/search-indexes.ts'
import type { VectorCache } from '../../vector-cache/vector-cache.ts'
import { readStored } from '../metrics/stored.ts'
import { ofProjects } from '../sanity-check/project-indexes.ts'
import { readNames } from '../sanity-check/reading.ts'
import { largestProjects, largestUsers } from './largest.ts'
import type { Seen, Troubles } from './troubles.ts'

/** Of each list. */
export const maxOverviewItems = 100

interface OverviewSources {
  readonly database: Database
  readonly searchIndexes: SearchIndexes
  readonly vectorCache: VectorCache
  readonly troubles: Troubles
}

/** What an administrator looks for first: who and what is large, slow or refused. */
export function createOverview({
  database,
  searchIndexes,
  vectorCache,
  troubles,
}: OverviewSources) {
  const { db } = database.short

  async function indexes() {
    const states = await searchIndexes.states()
    const largest = [...states].sort((a, b) => b.bytes - a.bytes).slice(0, maxOverviewItems)
    const items = await ofProjects(database, largest)
    return { count: states.length, items }
  }

  async function memory() {
    const { maxBytes, held: all } = vectorCache.usage()
    const held = all.toSorted((a, b) => b.bytes - a.bytes || a.collectionId - b.collectionId)
    const largest = held.slice(0, maxOverviewItems)
    const names = await readNames(
      database,
      largest.map(({ collectionId }) => collectionId),
    )
    return {
      is_on: vectorCache.isOn,
      max_bytes: maxBytes,
      bytes: held.reduce((sum, { bytes }) => sum + bytes, 0),
      project_count: held.length,
      projects: largest.flatMap(({ collectionId, bytes, isReady }) => {
        const project = names.get(collectionId)
        return project === undefined ? [] : [{ project, bytes, is_ready: isReady }]
      }),
      notes: [...vectorCache.notes()],
    }
  }

  return async () => {
    const { users, projects, embeddings, bytes } = await readStored(database)
    const { since, slow, refusals } = troubles.seen
    return {
      since,
      totals: {
        ...{ user_count: users, project_count: projects, embedding_count: embeddings },
        database_bytes: bytes,
      },
      users: await largestUsers(db, maxOverviewItems),
      projects: await largestProjects(db, maxOverviewItems),
      indexes: await indexes(),
      memory: await memory(),
      slow: slowOf(slow, troubles.slowMs),
      refusals: refusalsOf(refusals),
    }
  }
}

function slowOf({ count, requests }: Seen['slow'], slowMs: number) {
  const shown = requests.map(({ at, method, route, status, ms, user, project, caller, spent }) => ({
    ...{ at, method, route, status, ms: Math.round(ms), caller },
    ...(user !== undefined && { user }),
    ...(project !== undefined && { project }),
    spent,
  }))
  return { above_ms: Math.round(slowMs), count, requests: shown }
}

function refusalsOf({ count, kinds }: Seen['refusals']) {
  const shown = kinds.slice(0, maxOverviewItems).map(({ lastAt, detail, ...kind }) => ({
    ...{ ...kind, last_at: lastAt },
    ...(detail !== undefined && { detail }),
  }))
  return { count, kinds: shown }
}
