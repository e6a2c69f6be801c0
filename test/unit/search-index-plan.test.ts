import { describe, expect, it } from 'vitest'
import type { IndexInCatalog } from '../../src/search/index/catalog.ts'
import {
  type CollectionIndexState,
  nextStep,
  pendingBuilds,
  type State,
} from '../../src/search/index/plan.ts'
import { toComment } from '../../src/search/index/recall/recall-curve.ts'

const collection = (
  collectionId: number,
  vectors: number,
  fields: Partial<CollectionIndexState> = {},
): CollectionIndexState => ({
  collectionId,
  vectors,
  dimensions: 100,
  serving: null,
  measuredVectors: vectors,
  isDue: true,
  ...fields,
})

const index = (collectionId: number, fields: Partial<IndexInCatalog> = {}): IndexInCatalog => ({
  collectionId,
  kind: 'halfvec_l2',
  dimensions: 100,
  name: `index ${collectionId}`,
  state: 'valid',
  comment: null,
  ...fields,
})

const limits = {
  exactBudget: 100_000,
  maxIndexes: 2,
  settleSeconds: 0,
}

const isRecall = (what: string) => what.startsWith('recall of ')

const stateOf = (given: Partial<State>): State => ({
  collections: [],
  indexes: [],
  indexRoom: 0,
  limits,
  isPostponed: isRecall,
  isMeasured: () => false,
  ...given,
})

const served = (collectionId: number, vectors: number) =>
  collection(collectionId, vectors, { serving: 'halfvec_l2' })

describe('the next step', () => {
  it('is none when large projects have their index and others have none', () => {
    const collections = [served(1, 5_000), collection(2, 900)]
    expect(nextStep(stateOf({ collections, indexes: [index(1)] }))).toBeUndefined()
  })

  it('builds what is large and settled, the largest first', () => {
    const collections = [collection(1, 2_000), collection(2, 3_000), collection(3, 1_000)]
    const step = nextStep(stateOf({ collections }))
    expect(step).toMatchObject({ do: 'build', size: { collectionId: 2 } })
  })

  it('measures what has grown since, once, and not too soon', () => {
    const grown = collection(1, 5_000, { measuredVectors: 1_000 })
    const unknown = collection(1, 5_000, { measuredVectors: null })
    for (const each of [grown, unknown]) {
      expect(nextStep(stateOf({ collections: [each] }))).toEqual({
        do: 'measure',
        collectionId: 1,
      })
      const measured = stateOf({ collections: [each], isMeasured: () => true })
      expect(nextStep(measured)).toBeUndefined()
      const early = stateOf({ collections: [{ ...each, isDue: false }] })
      expect(nextStep(early)).toBeUndefined()
    }
  })

  it('does not let a large upload that goes on keep a smaller project waiting', () => {
    const going = collection(1, 90_000, { measuredVectors: 1_000, isDue: false })
    const state = stateOf({ collections: [going, collection(2, 2_000)] })
    expect(nextStep(state)).toMatchObject({ do: 'build', size: { collectionId: 2 } })
    expect(pendingBuilds(state)).toHaveLength(2)
    expect(
      pendingBuilds(stateOf({ collections: [served(3, 5_000)], indexes: [index(3)] })),
    ).toEqual([])
  })

  it('takes a finished index into use, and a lost one out of use', () => {
    const collections = [collection(1, 2_000)]
    expect(nextStep(stateOf({ collections, indexes: [index(1)] }))).toEqual({
      do: 'serve',
      collectionId: 1,
      kind: 'halfvec_l2',
    })
    expect(nextStep(stateOf({ collections: [served(1, 2_000)] }))).toEqual({
      do: 'stop serving',
      collectionId: 1,
    })
  })

  it('drops what is broken, gone, small or of another form, but nothing that is being built', () => {
    const reasons = [
      [index(1, { state: 'broken' }), collection(1, 2_000)],
      [index(1), collection(2, 10)],
      [index(1), collection(1, 500)],
      [index(1, { dimensions: 90 }), collection(1, 2_000)],
    ] as const
    for (const [flawed, each] of reasons) {
      const drops = stateOf({ collections: [each], indexes: [flawed] })
      expect(nextStep(drops)).toMatchObject({ do: 'drop', index: flawed })
      const building = { ...flawed, state: 'building' as const }
      expect(nextStep({ ...drops, indexes: [building] })).toBeUndefined()
    }
  })

  it('builds an index on the metadata too where half of the room is left', () => {
    const collections = [served(1, 9_000), collection(2, 2_000)]
    const withRoom = (indexRoom: number) =>
      nextStep(stateOf({ collections, indexes: [index(1)], indexRoom }))
    expect(withRoom(2)).toMatchObject({ do: 'build', withMetadata: false })
    expect(withRoom(3)).toMatchObject({ do: 'build', withMetadata: true })
  })

  it('never drops for growth, nor for a project that is not twice as large', () => {
    const collections = [
      { ...served(1, 900_000), measuredVectors: 1_000 },
      served(2, 2_000),
      collection(3, 3_900),
    ]
    expect(nextStep(stateOf({ collections, indexes: [index(1), index(2)] }))).toBeUndefined()
  })

  it('makes place for one twice as large only when that one has its index', () => {
    const collections = [served(1, 9_000), served(2, 2_000), collection(3, 4_100)]
    const before = stateOf({ collections, indexes: [index(1), index(2)] })
    expect(nextStep(before)).toMatchObject({ do: 'build', size: { collectionId: 3 } })
    const after = stateOf({
      collections: [served(1, 9_000), served(2, 2_000), served(3, 4_100)],
      indexes: [index(1), index(2), index(3)],
    })
    expect(nextStep(after)).toMatchObject({ do: 'drop', index: { collectionId: 2 } })
  })

  it('drops all where none may be', () => {
    const none = { ...limits, maxIndexes: 0 }
    const given = { collections: [served(1, 9_000)], indexes: [index(1)], limits: none }
    expect(nextStep(stateOf(given))).toMatchObject({ do: 'drop', index: { collectionId: 1 } })
  })

  it('leaves alone what did not work', () => {
    const isPostponed = () => true
    const collections = [collection(1, 2_000)]
    expect(nextStep(stateOf({ collections, isPostponed }))).toBeUndefined()
    const broken = index(1, { state: 'broken' })
    expect(nextStep(stateOf({ collections, indexes: [broken], isPostponed }))).toBeUndefined()
  })

  it('measures the recall of an index that serves, before the next is built, and again when its collection has another size', () => {
    const isPostponed = () => false
    const collections = [served(1, 2_000)]
    const step = { do: 'measure recall', index: { collectionId: 1, vectors: 2_000 } }
    expect(nextStep(stateOf({ collections, indexes: [index(1)], isPostponed }))).toMatchObject(step)
    expect(nextStep(stateOf({ collections, indexes: [index(1)] }))).toBeUndefined()
    const curveOf = (vectors: number) => toComment({ vectors, sample: 300, points: [] })
    const stepAt = (vectors: number) =>
      nextStep(
        stateOf({
          collections,
          indexes: [index(1, { comment: curveOf(vectors) })],
          isPostponed,
        }),
      )
    expect([1_400, 3_900].map(stepAt)).toEqual([undefined, undefined])
    expect(stepAt(1_300)).toMatchObject(step)
    expect(stepAt(4_100)).toMatchObject(step)
    const building = { collections: [collection(2, 3_000), ...collections], indexes: [index(1)] }
    expect(nextStep(stateOf({ ...building, isPostponed }))).toMatchObject(step)
    const build = { do: 'build', size: { collectionId: 2 } }
    expect(nextStep(stateOf(building))).toMatchObject(build)
    const huge = [served(1, 200_000_000)]
    expect(
      nextStep(stateOf({ collections: huge, indexes: [index(1)], isPostponed })),
    ).toBeUndefined()
  })
})
