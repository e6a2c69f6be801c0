import type { IndexForm, IndexInCatalog } from './catalog.ts'
import {
  type CollectionSize,
  deserving,
  type IndexLimits,
  isSettled,
  keepsIndex,
  type SearchIndex,
} from './policy.ts'

/** A collection of a project, as the database knows it at one moment. */
export interface CollectionState extends CollectionSize {
  /** The kind of the index that searches use; null when they use none. */
  readonly serving: SearchIndex['kind'] | null
  /** Its vectors at the last measurement; null before the first. */
  readonly measuredVectors: number | null
  /** Whether that was long enough ago. */
  readonly isDue: boolean
}

/** All that a decision depends on. */
export interface Situation {
  readonly collections: readonly CollectionState[]
  readonly indexes: readonly IndexInCatalog[]
  readonly limits: IndexLimits
  readonly formFor: (size: CollectionSize) => IndexForm
  /** Indexes, by their name, that are left alone for now: it did not work. */
  readonly isPostponed: (form: IndexForm) => boolean
  /** Whether the collection was measured in this pass. */
  readonly isMeasured: (collectionId: number) => boolean
}

/** One thing to do; what follows from it is decided anew. */
export type Step =
  | { readonly do: 'stop serving'; readonly collectionId: number }
  | { readonly do: 'serve'; readonly collectionId: number; readonly kind: SearchIndex['kind'] }
  | { readonly do: 'drop'; readonly index: IndexInCatalog; readonly reason: string }
  | { readonly do: 'measure'; readonly collectionId: number }
  | { readonly do: 'build'; readonly size: CollectionSize }

/** What to do next so that large projects have an index, and no others; undefined when all is well. */
export function nextStep(situation: Situation): Step | undefined {
  return (
    lostIndex(situation) ??
    flawedIndex(situation) ??
    unusedIndex(situation) ??
    missingIndex(situation) ??
    surplusIndex(situation)
  )
}

/** The collections that should have an index and have none of its form, not even one that is being built. */
export function missing(situation: Situation): CollectionState[] {
  const isOf = (size: CollectionState) => (index: IndexInCatalog) =>
    index.collectionId === size.collectionId && index.kind === situation.formFor(size).kind
  return wanted(situation).filter((size) => !situation.indexes.some(isOf(size)))
}

/** Those of them that are not settled yet. */
export const waiting = (situation: Situation) =>
  missing(situation).filter((size) => !situation.isPostponed(situation.formFor(size)))

const wanted = (situation: Situation) => {
  const live = new Set(sound(situation).map(({ collectionId }) => collectionId))
  return deserving(situation.collections, live, situation.limits)
}

const sound = (situation: Situation) =>
  situation.indexes.filter(
    (index) => index.state === 'valid' && flawOf(situation, index) === undefined,
  )

function flawOf(
  { collections, limits, formFor }: Situation,
  index: IndexInCatalog,
): string | undefined {
  const size = collections.find(({ collectionId }) => collectionId === index.collectionId)
  if (index.state === 'broken') return 'its build was broken off'
  if (size === undefined) return 'its project is gone'
  if (!keepsIndex(size, limits)) return 'its project is small'
  const { kind, dimensions } = formFor(size)
  if (dimensions !== index.dimensions) return 'it has another form'
  // One of an older form serves until its successor does.
  return kind !== index.kind && size.serving === kind ? 'it has a successor' : undefined
}

/** Searches count on an index that is not there any more. */
function lostIndex(situation: Situation): Step | undefined {
  const usable = sound(situation)
  const lost = situation.collections.find(
    ({ collectionId, serving }) =>
      serving !== null &&
      !usable.some((index) => index.collectionId === collectionId && index.kind === serving),
  )
  return lost && { do: 'stop serving', collectionId: lost.collectionId }
}

/** Somebody's build is left alone, whatever is built. */
function flawedIndex(situation: Situation): Step | undefined {
  for (const index of situation.indexes) {
    if (index.state === 'building' || situation.isPostponed(index)) continue
    const reason = flawOf(situation, index)
    if (reason !== undefined) return { do: 'drop', index, reason }
  }
  return undefined
}

function unusedIndex(situation: Situation): Step | undefined {
  const byId = new Map(situation.collections.map((each) => [each.collectionId, each]))
  const unused = sound(situation).find(({ collectionId, kind }) => {
    const size = byId.get(collectionId)
    if (size === undefined || size.serving === kind) return false
    return size.serving === null || situation.formFor(size).kind === kind
  })
  return unused && { do: 'serve', collectionId: unused.collectionId, kind: unused.kind }
}

function missingIndex(situation: Situation): Step | undefined {
  for (const collection of waiting(situation)) {
    const { collectionId, vectors, measuredVectors, isDue } = collection
    if (!isDue || situation.isMeasured(collectionId)) continue
    if (measuredVectors !== null && isSettled(vectors, measuredVectors)) {
      return { do: 'build', size: collection }
    }
    return { do: 'measure', collectionId }
  }
  return undefined
}

/** After the builds: an index goes when the one that takes its place is there. */
function surplusIndex(situation: Situation): Step | undefined {
  const live = sound(situation)
  if (live.length <= situation.limits.maxIndexes) return undefined
  const kept = new Set(wanted(situation).map(({ collectionId }) => collectionId))
  const index = live.find((each) => !kept.has(each.collectionId) && !situation.isPostponed(each))
  return index && { do: 'drop', index, reason: 'there are larger projects' }
}
