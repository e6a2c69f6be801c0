import { type IndexForm, indexName } from '../../db/index-name.ts'
import { formFor, type IndexInCatalog } from './catalog.ts'
import { type MetadataIndexInCatalog, metadataIndexName } from './metadata-index.ts'
import {
  type CollectionSize,
  collectionsToIndex,
  components,
  type IndexLimits,
  isMeasurable,
  isSettled,
  keepsIndex,
  type SearchIndex,
  secondsUntilQuiet,
  type Uploads,
} from './policy.ts'
import { isOutdated } from './recall/recall-curve.ts'

/** A collection of a project, in its present state in the database. */
export interface CollectionIndexState extends CollectionSize, Uploads {
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
  readonly metadataIndexes: readonly MetadataIndexInCatalog[]
  /** How many indexes of both kinds fit. */
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
  | { readonly do: 'drop'; readonly index: AnyIndex; readonly reason: string }
  | { readonly do: 'measure'; readonly collectionId: number }
  | { readonly do: 'build'; readonly size: CollectionSize }
  | { readonly do: 'measure recall'; readonly index: SearchIndex }
  | { readonly do: 'build metadata index'; readonly size: CollectionSize }

export type AnyIndex = IndexInCatalog | MetadataIndexInCatalog

/**
 * Measuring has a name of its own, so that its failure does not postpone a build: an index that
 * vanishes before its recall is known is built again at once.
 */
export const recallOf = (form: IndexForm) => `recall of ${indexName(form)}`

/**
 * The next step towards an index for each large project and for no others; undefined if none is
 * left. Metadata indexes come last: without them, filtered searches only take longer.
 */
export function nextStep(state: State): IndexStep | undefined {
  return (
    stopServing(state) ??
    dropFlawed(state) ??
    serve(state) ??
    measureRecall(state) ??
    build(state) ??
    dropReplaced(state) ??
    dropMetadataIndex(state) ??
    buildMetadataIndex(state)
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
const pendingBuilds = (state: State) =>
  missingIndexes(state).filter((size) => !state.isPostponed(indexName(formFor(size))))

/**
 * Seconds until the next build may be due, if nothing else happens; undefined if none is pending.
 */
export function secondsUntilBuild(state: State): number | undefined {
  const waits = pendingBuilds(state).map((size) => secondsUntilQuiet(size, state.limits))
  return waits.length === 0 ? undefined : Math.min(...waits)
}

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

/**
 * An index is built when the burst of uploads to its collection has ended or, while uploads go on,
 * when the collection hardly grows between two measurements.
 */
function build(state: State): IndexStep | undefined {
  for (const collection of pendingBuilds(state)) {
    if (secondsUntilQuiet(collection, state.limits) === 0) return { do: 'build', size: collection }
    const { collectionId, vectors, measuredVectors, isDue } = collection
    if (!isDue || state.isMeasured(collectionId)) continue
    if (measuredVectors !== null && isSettled(vectors, measuredVectors)) {
      return { do: 'build', size: collection }
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

/**
 * The projects that should have a metadata index: those whose searches use an index, the largest
 * first, as far as the search indexes leave room. Missing ones take their room first.
 */
function desiredMetadataIndexes(state: State): CollectionSize[] {
  const room = state.indexRoom - state.indexes.length - missingIndexes(state).length
  return state.collections
    .filter(({ serving }) => serving !== null)
    .sort((a, b) => components(b) - components(a) || a.collectionId - b.collectionId)
    .slice(0, Math.max(0, room))
}

function dropMetadataIndex(state: State): IndexStep | undefined {
  const wanted = new Set(desiredMetadataIndexes(state).map(metadataIndexName))
  for (const index of state.metadataIndexes) {
    if (index.state === 'building' || state.isPostponed(index.name)) continue
    if (index.state === 'broken') return { do: 'drop', index, reason: 'its build was broken off' }
    if (!wanted.has(metadataIndexName(index))) {
      return { do: 'drop', index, reason: 'searches do not need it any more' }
    }
  }
  return undefined
}

function buildMetadataIndex(state: State): IndexStep | undefined {
  const present = new Set(state.metadataIndexes.map(metadataIndexName))
  const size = desiredMetadataIndexes(state).find((each) => {
    const name = metadataIndexName(each)
    return !present.has(name) && !state.isPostponed(name)
  })
  return size && { do: 'build metadata index', size }
}
