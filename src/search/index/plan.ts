import { type IndexForm, indexName } from '../../db/index-name.ts'
import { formFor, type IndexInCatalog } from './catalog.ts'
import {
  type CollectionSize,
  collectionsToIndex,
  type IndexLimits,
  isMeasurable,
  isSettled,
  keepsIndex,
  type SearchIndex,
} from './policy.ts'
import { isOutdated } from './recall/recall-curve.ts'

/** A collection of a project, in its present state in the database. */
export interface CollectionIndexState extends CollectionSize {
  /** The kind of the index that searches use; null if they use none. */
  readonly serving: SearchIndex['kind'] | null
  /** The number of vectors at the last measurement; null before the first. */
  readonly measuredVectors: number | null
  /** Whether the last measurement was long enough ago. */
  readonly isDue: boolean
}

/** Everything that a decision depends on: the actual state, and what determines the desired one. */
export interface State {
  readonly collections: readonly CollectionIndexState[]
  readonly indexes: readonly IndexInCatalog[]
  /** How many indexes fit, those on metadata included. */
  readonly indexRoom: number
  readonly limits: IndexLimits
  /** Whether this is left alone for now because a step on it has failed: an index, or its recall. */
  readonly isPostponed: (what: string) => boolean
  /** Whether the collection was measured in this run. */
  readonly isMeasured: (collectionId: number) => boolean
}

/** One change towards the desired state. The next one is decided on the state that results. */
export type IndexStep =
  | { readonly do: 'stop serving'; readonly collectionId: number }
  | { readonly do: 'serve'; readonly collectionId: number; readonly kind: SearchIndex['kind'] }
  | { readonly do: 'drop'; readonly index: IndexInCatalog; readonly reason: string }
  | { readonly do: 'measure'; readonly collectionId: number }
  | {
      readonly do: 'build'
      readonly size: CollectionSize
      /** Whether an index on the metadata is built as well. */
      readonly withMetadata: boolean
    }
  | { readonly do: 'measure recall'; readonly index: SearchIndex }

/**
 * Measuring has a name of its own, so that its failure does not postpone a build: an index that
 * vanishes before its recall is known is built again at once.
 */
export const recallOf = (form: IndexForm) => `recall of ${indexName(form)}`

/**
 * The next step towards an index for each large project and for no others; undefined if none is
 * left.
 */
export function nextStep(state: State): IndexStep | undefined {
  return (
    stopServing(state) ??
    dropFlawed(state) ??
    serve(state) ??
    measureRecall(state) ??
    build(state) ??
    dropReplaced(state)
  )
}

/**
 * The collections that should have an index but have none, not even one being built.
 */
export function missingIndexes(state: State): CollectionIndexState[] {
  const isOf = (size: CollectionIndexState) => (index: IndexInCatalog) =>
    index.collectionId === size.collectionId && index.kind === formFor(size).kind
  return desired(state).filter((size) => !state.indexes.some(isOf(size)))
}

/** The missing indexes that are built as soon as their collections stop growing. */
export const pendingBuilds = (state: State) =>
  missingIndexes(state).filter((size) => !state.isPostponed(indexName(formFor(size))))

const desired = (state: State) => {
  const indexed = new Set(usable(state).map(({ collectionId }) => collectionId))
  return collectionsToIndex(state.collections, indexed, state.limits)
}

const usable = (state: State) =>
  state.indexes.filter((index) => index.state === 'valid' && flawOf(state, index) === undefined)

/** Why an index should be dropped; undefined if it should not. */
function flawOf({ collections, limits }: State, index: IndexInCatalog) {
  const size = collections.find(({ collectionId }) => collectionId === index.collectionId)
  if (index.state === 'broken') return 'its build was broken off'
  if (size === undefined) return 'its project is gone'
  if (!keepsIndex(size, limits)) return 'its project is small'
  return size.dimensions === index.dimensions ? undefined : 'it has another form'
}

/** Applies to a collection whose searches would use an index that no longer exists. */
function stopServing(state: State): IndexStep | undefined {
  const indexes = usable(state)
  const lost = state.collections.find(
    ({ collectionId, serving }) =>
      serving !== null &&
      !indexes.some((index) => index.collectionId === collectionId && index.kind === serving),
  )
  return lost && { do: 'stop serving', collectionId: lost.collectionId }
}

/** An index that is being built is left alone, whatever its flaw and whoever builds it. */
function dropFlawed(state: State): IndexStep | undefined {
  for (const index of state.indexes) {
    if (index.state === 'building' || state.isPostponed(index.name)) continue
    const reason = flawOf(state, index)
    if (reason !== undefined) return { do: 'drop', index, reason }
  }
  return undefined
}

function serve(state: State): IndexStep | undefined {
  const byId = new Map(state.collections.map((each) => [each.collectionId, each]))
  const unused = usable(state).find(({ collectionId }) => byId.get(collectionId)?.serving === null)
  return unused && { do: 'serve', collectionId: unused.collectionId, kind: unused.kind }
}

/** An index is built when its collection hardly grows between two measurements. */
function build(state: State): IndexStep | undefined {
  for (const collection of pendingBuilds(state)) {
    const { collectionId, vectors, measuredVectors, isDue } = collection
    if (!isDue || state.isMeasured(collectionId)) continue
    if (measuredVectors !== null && isSettled(vectors, measuredVectors)) {
      // Each statement locks all indexes, so those for searches come first.
      const withMetadata = 2 * state.indexes.length < state.indexRoom
      return { do: 'build', size: collection, withMetadata }
    }
    return { do: 'measure', collectionId }
  }
  return undefined
}

/**
 * Comes after the builds: an index in excess is dropped only once the one that replaces it exists.
 */
function dropReplaced(state: State): IndexStep | undefined {
  const indexes = usable(state)
  if (indexes.length <= state.limits.maxIndexes) return undefined
  const kept = new Set(desired(state).map(({ collectionId }) => collectionId))
  const index = indexes.find(
    (each) => !kept.has(each.collectionId) && !state.isPostponed(each.name),
  )
  return index && { do: 'drop', index, reason: 'there are larger projects' }
}

/** Comes before the next build, because an index of unknown recall is not useful yet. */
function measureRecall(state: State): IndexStep | undefined {
  const indexes = usable(state)
  for (const { collectionId, vectors, dimensions, serving } of state.collections) {
    const index = indexes.find(
      (each) => each.collectionId === collectionId && each.kind === serving,
    )
    if (index === undefined || state.isPostponed(recallOf(index))) continue
    const size = { collectionId, vectors, dimensions }
    if (!isMeasurable(size) || !isOutdated(index.comment, vectors)) continue
    return { do: 'measure recall', index: { ...size, kind: index.kind } }
  }
  return undefined
}
