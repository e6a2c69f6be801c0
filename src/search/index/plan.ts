import { type IndexForm, indexName, vectorKind } from '../../db/index-name.ts'
import type { IndexKind } from '../../db/pgvector.ts'
import type { FoundIndex } from './catalog.ts'

export interface IndexLimits {
  /** Components (vectors × dimensions) up to which a project is always searched exactly. */
  readonly exactBudget: number
  /** Planning any query looks at every index of the table, so their number is limited. */
  readonly maxIndexes: number
  /** Seconds in which a project must hardly have grown before its index is built. */
  readonly indexDelay: number
}

/** A collection of a project, in its present state in the database. */
export interface IndexedCollection {
  readonly collectionId: number
  readonly vectors: number
  readonly dimensions: number
  /** The kind of the index that searches use; null if they use none. */
  readonly serving: IndexKind | null
  /** The number of vectors at the last measurement; null before the first. */
  readonly measuredVectors: number | null
  /** Whether the last measurement was long enough ago. */
  readonly isDue: boolean
}

/** What is in the database, and how much of it there may be. */
export interface FoundState {
  readonly collections: readonly IndexedCollection[]
  readonly indexes: readonly FoundIndex[]
  /** How many projects can also have an index on their metadata. */
  readonly maxOnMetadata: number
  readonly limits: IndexLimits
}

/** Everything that a decision depends on. */
export interface State extends FoundState {
  /** Whether this index is left alone for now because a step on it has failed. */
  readonly isPostponed: (name: string) => boolean
  /** Whether the collection was measured in this run. */
  readonly isMeasured: (collectionId: number) => boolean
}

/** One change towards the desired state. The next one is decided on the state that results. */
export type IndexStep =
  | { readonly do: 'serve'; readonly collectionId: number; readonly kind: IndexKind | null }
  | { readonly do: 'drop'; readonly index: IndexForm; readonly reason: string }
  | { readonly do: 'measure'; readonly collectionId: number }
  | { readonly do: 'build'; readonly index: IndexForm; readonly vectors: number }

/**
 * The next step towards the indexes of each large project and of no others; undefined if none is
 * left.
 */
export function nextStep(state: State): IndexStep | undefined {
  return serve(state) ?? dropFlawed(state) ?? build(state) ?? dropReplaced(state)
}

/**
 * An index is built above the budget and dropped below this part of it, so that it does not come
 * and go.
 */
const keptAbove = 0.5
/** If there are too many large projects, one must be this many times larger to replace another. */
const replacingFactor = 2
/** Growth over `indexDelay` up to which a project counts as no longer being filled. */
const settledGrowth = 1.02

const components = ({ vectors, dimensions }: IndexedCollection) => vectors * dimensions

const isOn = (one: Pick<IndexForm, 'collectionId'>) => (other: Pick<IndexForm, 'collectionId'>) =>
  one.collectionId === other.collectionId

const isNamed = (one: IndexForm) => (other: IndexForm) => indexName(one) === indexName(other)

/** The projects that should have indexes, the largest first. */
function desired(state: FoundState): IndexedCollection[] {
  const { exactBudget, maxIndexes } = state.limits
  const indexes = usable(state).filter(({ kind }) => kind !== 'metadata')
  const kept = (collection: IndexedCollection) => (indexes.some(isOn(collection)) ? 1 : 0)
  const weight = (collection: IndexedCollection) =>
    components(collection) * replacingFactor ** kept(collection)
  return state.collections
    .filter((each) => components(each) > exactBudget * keptAbove ** kept(each))
    .sort((a, b) => weight(b) - weight(a) || a.collectionId - b.collectionId)
    .slice(0, maxIndexes)
}

/** The indexes that are desired but are not there, not even being built. */
export function missingIndexes(state: FoundState): IndexForm[] {
  return desired(state)
    .flatMap(({ collectionId, dimensions }, place): IndexForm[] => [
      { collectionId, dimensions, kind: vectorKind(dimensions) },
      ...(place < state.maxOnMetadata
        ? [{ collectionId, dimensions, kind: 'metadata' as const }]
        : []),
    ])
    .filter((form) => !state.indexes.some(isNamed(form)))
}

/** The missing indexes that are built as soon as their collections stop growing. */
export const pendingBuilds = (state: State) =>
  missingIndexes(state).filter((form) => !state.isPostponed(indexName(form)))

const usable = (state: FoundState) =>
  state.indexes.filter((index) => index.state === 'valid' && flawOf(state, index) === undefined)

/** Why an index should be dropped; undefined if it should not. */
function flawOf({ collections, limits }: FoundState, index: FoundIndex) {
  const collection = collections.find(isOn(index))
  if (index.state === 'broken') return 'its build was broken off'
  if (collection === undefined) return 'its project is gone'
  if (components(collection) <= limits.exactBudget * keptAbove) return 'its project is small'
  const { dimensions } = collection
  const kinds: IndexForm['kind'][] = ['metadata', vectorKind(dimensions)]
  const isSame = dimensions === index.dimensions && kinds.includes(index.kind)
  return isSame ? undefined : 'it has another form'
}

/** Takes a finished index into use, and a lost one out of use. */
function serve(state: State): IndexStep | undefined {
  const indexes = usable(state)
  for (const { collectionId, serving, dimensions } of state.collections) {
    const form = { collectionId, dimensions, kind: vectorKind(dimensions) }
    const kind = indexes.some(isNamed(form)) ? form.kind : null
    if (kind !== serving) return { do: 'serve', collectionId, kind }
  }
  return undefined
}

/** An index that is being built is left alone, whatever its flaw and whoever builds it. */
function dropFlawed(state: State): IndexStep | undefined {
  for (const index of state.indexes) {
    if (index.state === 'building' || state.isPostponed(indexName(index))) continue
    const reason = flawOf(state, index)
    if (reason !== undefined) return { do: 'drop', index, reason }
  }
  return undefined
}

/** An index is built when its collection hardly grows between two measurements. */
function build(state: State): IndexStep | undefined {
  for (const index of pendingBuilds(state)) {
    const collection = state.collections.find(isOn(index))
    if (!collection?.isDue || state.isMeasured(index.collectionId)) continue
    const { vectors, measuredVectors } = collection
    if (measuredVectors !== null && vectors <= measuredVectors * settledGrowth) {
      return { do: 'build', index, vectors }
    }
    return { do: 'measure', collectionId: index.collectionId }
  }
  return undefined
}

/**
 * Comes after the builds: an index in excess is dropped only once the one that replaces it exists.
 */
function dropReplaced(state: State): IndexStep | undefined {
  const excess = [false, true].flatMap((isOnMetadata) => {
    const indexes = usable(state).filter(({ kind }) => (kind === 'metadata') === isOnMetadata)
    const most = isOnMetadata ? state.maxOnMetadata : state.limits.maxIndexes
    const kept = desired(state).slice(0, most)
    return indexes.length > most ? indexes.filter((index) => !kept.some(isOn(index))) : []
  })
  const index = excess.find((each) => !state.isPostponed(indexName(each)))
  return index && { do: 'drop', index, reason: 'there are larger projects' }
}

/** The PostgreSQL settings that limit its locks. */
interface LockSpace {
  readonly locksPerTransaction: number
  readonly maxConnections: number
}

/**
 * How many indexes the table can have. A statement on the table locks all of them, and PostgreSQL
 * has room for twice `locksPerTransaction` × `maxConnections` locks, for everything that it serves.
 * Half of that is for the connections of this service, if all are busy at once.
 */
export const roomForIndexes = (
  { locksPerTransaction, maxConnections }: LockSpace,
  connections: number,
) => Math.floor((locksPerTransaction * maxConnections) / connections)
