import type { Database } from '../../db/database.ts'
import type { IndexState, MeasuredRecall } from '../../search-indexes/search-indexes.ts'
import type { ProjectIndex } from './findings.ts'
import { readNames } from './reading.ts'

/** Search indexes with their projects, as an operator is shown them. */
export async function ofProjects(
  database: Database,
  states: readonly IndexState[],
): Promise<ProjectIndex[]> {
  const names = await readNames(
    database,
    states.map(({ collectionId }) => collectionId),
  )
  return states.flatMap(({ collectionId, kind, dimensions, state, bytes, recall }) => {
    const project = names.get(collectionId)
    // The index of a project that is gone is dropped soon.
    if (project === undefined) return []
    return [{ project, kind, dimensions, state, bytes, ...(recall && { recall: asShown(recall) }) }]
  })
}

const asShown = ({ recall, atLeast, efSearch, candidates, sample, vectors }: MeasuredRecall) => ({
  recall,
  at_least: atLeast,
  ef_search: efSearch,
  candidates,
  sample,
  vectors,
})
