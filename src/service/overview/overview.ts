import type { Database } from '../../db/database.ts'
import type { SearchIndexes } from '../../search-indexes/search-indexes.ts'
import type { VectorCache } from '../../vector-cache/vector-cache.ts'
import { readStored } from '../metrics/stored.ts'
import { ofProjects } from '../sanity-check/project-indexes.ts'
import { readNames } from '../sanity-check/reading.ts'
import { largestProjects, largestUsers } from './largest.ts'
import type { Troubles } from './troubles.ts'

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
    const { maxBytes, held } = vectorCache.usage()
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
    return {
      since: troubles.since.toISOString(),
      totals: {
        ...{ user_count: users, project_count: projects, embedding_count: embeddings },
        database_bytes: bytes,
      },
      users: await largestUsers(db, maxOverviewItems),
      projects: await largestProjects(db, maxOverviewItems),
      indexes: await indexes(),
      memory: await memory(),
      slow: slowOf(troubles),
      refusals: refusalsOf(troubles),
    }
  }
}

function slowOf({ slowMs, slowest: { count, requests } }: Troubles) {
  const shown = requests.map(({ at, method, route, status, ms, user, project, caller, spent }) => ({
    ...{ at: at.toISOString(), method, route, status, ms: Math.round(ms), caller },
    ...(user !== undefined && { user }),
    ...(project !== undefined && { project }),
    spent,
  }))
  return { above_ms: Math.round(slowMs), count, requests: shown }
}

function refusalsOf({ refusals: { count, kinds } }: Troubles) {
  const shown = kinds.slice(0, maxOverviewItems).map(({ lastAt, detail, ...kind }) => ({
    ...{ ...kind, last_at: lastAt.toISOString() },
    ...(detail !== undefined && { detail }),
  }))
  return { count, kinds: shown }
}
