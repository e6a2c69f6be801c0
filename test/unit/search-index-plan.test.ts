import { describe, expect, it } from 'vitest'
import type { FoundIndex } from '../../src/search/index/catalog.ts'
import {
  type IndexedCollection,
  nextStep,
  pendingBuilds,
  roomForIndexes,
  type State,
} from '../../src/search/index/plan.ts'

const collection = (
  collectionId: number,
  vectors: number,
  fields: Partial<IndexedCollection> = {},
): IndexedCollection => ({
  ...{ collectionId, vectors, dimensions: 100, serving: null },
  ...{ measuredVectors: vectors, isDue: true, ...fields },
})

const index = (collectionId: number, fields: Partial<FoundIndex> = {}): FoundIndex => ({
  ...{ collectionId, kind: 'halfvec_l2', dimensions: 100, state: 'valid', ...fields },
})

const limits = { exactBudget: 100_000, maxIndexes: 2, indexDelay: 0 }

const stateOf = (given: Partial<State>): State => ({
  ...{ collections: [], indexes: [], maxOnMetadata: 0, limits },
  ...{ isPostponed: () => false, isMeasured: () => false, ...given },
})

/** Collections that are served by an index, with these numbers of vectors. */
const served = (...vectors: number[]) => ({
  collections: vectors.map((each, at) => collection(at + 1, each, { serving: 'halfvec_l2' })),
  indexes: vectors.map((_, at) => index(at + 1)),
})

const step = (given: Partial<State>) => nextStep(stateOf(given))
const built = (collectionId: number, kind = 'halfvec_l2') => ({
  do: 'build',
  index: { collectionId, kind },
})

describe('the next step', () => {
  it('is none when large projects have their index and others have none', () => {
    const { collections, indexes } = served(5_000)
    const small = collection(2, 1_000)
    expect(step({ collections: [...collections, small], indexes })).toBeUndefined()
  })

  it('builds what is large and settled, the largest first, by vectors times dimensions', () => {
    const sizes = [collection(1, 2_000), collection(2, 700, { dimensions: 300 })]
    expect(step({ collections: sizes })).toMatchObject(built(2))
    const grown = collection(3, 10_200, { measuredVectors: 10_000 })
    expect(step({ collections: [grown] })).toMatchObject(built(3))
  })

  it('measures what has grown by more than a fiftieth, once, and not too soon', () => {
    for (const measuredVectors of [4_900, null]) {
      const each = collection(1, 5_000, { measuredVectors })
      expect(step({ collections: [each] })).toEqual({ do: 'measure', collectionId: 1 })
      expect(step({ collections: [each], isMeasured: () => true })).toBeUndefined()
      expect(step({ collections: [{ ...each, isDue: false }] })).toBeUndefined()
    }
  })

  it('does not let a large upload that goes on keep a smaller project waiting', () => {
    const going = collection(1, 90_000, { measuredVectors: 1_000, isDue: false })
    const state = stateOf({ collections: [going, collection(2, 2_000)] })
    expect(nextStep(state)).toMatchObject(built(2))
    expect(pendingBuilds(state)).toHaveLength(2)
    expect(pendingBuilds(stateOf(served(5_000)))).toEqual([])
  })

  it('takes a finished index into use, and a lost one out of use', () => {
    const finished = step({ collections: [collection(1, 2_000)], indexes: [index(1)] })
    expect(finished).toEqual({ do: 'serve', collectionId: 1, kind: 'halfvec_l2' })
    const lost = step({ ...served(2_000), indexes: [] })
    expect(lost).toEqual({ do: 'serve', collectionId: 1, kind: null })
  })

  it.each([
    ['broken', index(1, { state: 'broken' }), collection(1, 2_000)],
    ['gone', index(1), collection(2, 10)],
    ['small', index(1), collection(1, 500)],
    ['of another form', index(1, { dimensions: 90 }), collection(1, 2_000)],
    ['of metadata, broken', index(1, { kind: 'metadata', state: 'broken' }), collection(1, 500)],
  ])('drops what is %s, but nothing that is being built', (_, flawed, each) => {
    const state = { collections: [each], indexes: [flawed] }
    expect(step(state)).toMatchObject({ do: 'drop', index: flawed })
    const building = { ...state, indexes: [{ ...flawed, state: 'building' as const }] }
    expect(step({ ...building, isPostponed: (name) => name.includes('halfvec') })).toBeUndefined()
  })

  it('builds an index on the metadata of the largest too, while there is room', () => {
    const both = { ...served(9_000, 2_000), maxOnMetadata: 1 }
    expect(step(both)).toMatchObject(built(1, 'metadata'))
    const indexes = [...both.indexes, index(1, { kind: 'metadata' })]
    expect(step({ ...both, indexes })).toBeUndefined()
    expect(step({ ...both, indexes, maxOnMetadata: 0 })).toMatchObject({
      do: 'drop',
      index: { collectionId: 1, kind: 'metadata' },
    })
  })

  it('never drops for growth, nor for a project that is not twice as large', () => {
    const { collections, indexes } = served(900_000, 2_000)
    const third = collection(3, 3_900)
    expect(step({ collections: [...collections, third], indexes })).toBeUndefined()
    const still = { collections: [collection(1, 501, { serving: 'halfvec_l2' })] }
    expect(step({ ...still, indexes: [index(1)] })).toBeUndefined()
  })

  it('makes place for one twice as large only when that one has its index', () => {
    const { collections, indexes } = served(9_000, 2_000)
    const before = { collections: [...collections, collection(3, 4_100)], indexes }
    expect(step(before)).toMatchObject(built(3))
    expect(step(served(9_000, 2_000, 4_100))).toMatchObject({
      do: 'drop',
      index: { collectionId: 2 },
    })
  })

  it('drops all where none may be', () => {
    const none = { ...served(9_000), limits: { ...limits, maxIndexes: 0 } }
    expect(step(none)).toMatchObject({ do: 'drop', index: { collectionId: 1 } })
  })

  it('leaves alone what did not work', () => {
    const given = { collections: [collection(1, 2_000)], isPostponed: () => true }
    expect(step(given)).toBeUndefined()
    expect(step({ ...given, indexes: [index(1, { state: 'broken' })] })).toBeUndefined()
  })
})

it('the room for indexes is what the locks of all connections leave', () => {
  const usual = { locksPerTransaction: 64, maxConnections: 100 }
  expect(roomForIndexes(usual, 31)).toBe(206)
  expect(roomForIndexes({ ...usual, maxConnections: 40 }, 31)).toBe(82)
})
