import { type MetadataIndexInCatalog, metadataIndexName } from './metadata-index.ts'
import { type IndexStep, missingIndexes, nextStep, type State } from './plan.ts'
import type { CollectionSize } from './policy.ts'

/** The next step. Metadata indexes come last: without them, filtered searches only take longer. */
export const nextOfAllSteps = (state: State): IndexStep | undefined =>
  nextStep(state) ?? nextMetadataStep(state)

/**
 * Gives each project whose searches use an index one on its metadata too, as far as the search
 * indexes leave room.
 */
export const nextMetadataStep = (state: State): IndexStep | undefined => drop(state) ?? build(state)

/** The projects that should have a metadata index. Missing search indexes take their room first. */
function desired(state: State): CollectionSize[] {
  const room = state.indexRoom - state.indexes.length - missingIndexes(state).length
  const serving = state.collections.filter((each) => each.serving !== null)
  const bySize = serving.sort(
    (a, b) =>
      b.vectors * b.dimensions - a.vectors * a.dimensions || a.collectionId - b.collectionId,
  )
  return bySize.slice(0, Math.max(0, room))
}

const isOf =
  ({ collectionId, dimensions }: CollectionSize) =>
  (index: MetadataIndexInCatalog) =>
    index.collectionId === collectionId && index.dimensions === dimensions

function drop(state: State): IndexStep | undefined {
  const wanted = desired(state)
  for (const index of state.metadataIndexes) {
    if (index.state === 'building' || state.isPutOff(index.name)) continue
    const reason =
      index.state === 'broken'
        ? 'its build was broken off'
        : wanted.some((size) => isOf(size)(index))
          ? undefined
          : 'searches do not need it any more'
    if (reason !== undefined) return { do: 'drop metadata index', name: index.name, reason }
  }
  return undefined
}

function build(state: State): IndexStep | undefined {
  const size = desired(state).find(
    (each) => !state.metadataIndexes.some(isOf(each)) && !state.isPutOff(metadataIndexName(each)),
  )
  return size && { do: 'build metadata index', size }
}
