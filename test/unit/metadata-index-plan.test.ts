import { describe, expect, it } from 'vitest'
import type { IndexInCatalog } from '../../src/search/index/catalog.ts'
import type { MetadataIndexInCatalog } from '../../src/search/index/metadata-index.ts'
import { type CollectionIndexState, nextStep, type State } from '../../src/search/index/plan.ts'

const dimensions = 100

const collection = (
  collectionId: number,
  vectors: number,
  isServing = true,
): CollectionIndexState => ({
  ...{ collectionId, vectors, dimensions, measuredVectors: vectors, isDue: true },
  ...{ serving: isServing ? 'halfvec_l2' : null, sinceAdded: null, longestPause: null },
})

const searchIndex = (collectionId: number): IndexInCatalog => ({
  ...{ collectionId, dimensions, kind: 'halfvec_l2', name: `index ${collectionId}` },
  ...{ state: 'valid', comment: null },
})

const metadataIndex = (
  collectionId: number,
  fields: Partial<MetadataIndexInCatalog> = {},
): MetadataIndexInCatalog => ({
  ...{ collectionId, dimensions, name: `metadata ${collectionId}`, state: 'valid' },
  ...fields,
})

const isRecall = (what: string) => what.startsWith('recall of ')

const stateOf = (given: Partial<State>): State => ({
  collections: [collection(1, 2_000), collection(2, 3_000)],
  indexes: [searchIndex(1), searchIndex(2)],
  metadataIndexes: [],
  indexRoom: 4,
  limits: {
    ...{ exactBudget: 100_000, maxIndexes: 4, settleSeconds: 0 },
    quietSeconds: { least: 2, most: 15 },
  },
  isPostponed: isRecall,
  isMeasured: () => false,
  ...given,
})

const build = (collectionId: number) => ({
  do: 'build metadata index',
  size: expect.objectContaining({ collectionId }),
})
const drop = (collectionId: number) =>
  expect.objectContaining({
    do: 'drop',
    index: expect.objectContaining({ name: `metadata ${collectionId}` }),
  })

describe('an index on metadata', () => {
  it('is built for each project that has a search index, the largest first', () => {
    expect(nextStep(stateOf({}))).toEqual(build(2))
    expect(nextStep(stateOf({ metadataIndexes: [metadataIndex(2)] }))).toEqual(build(1))
    const metadataIndexes = [metadataIndex(1), metadataIndex(2)]
    expect(nextStep(stateOf({ metadataIndexes }))).toBeUndefined()
  })

  it('comes after the search index, and after its recall is measured', () => {
    const collections = [collection(1, 2_000, false)]
    expect(nextStep(stateOf({ collections, indexes: [] }))?.do).toBe('build')
    expect(nextStep(stateOf({ isPostponed: () => false }))?.do).toBe('measure recall')
  })

  it('takes no room from search indexes, those included which are still missing', () => {
    expect(nextStep(stateOf({ indexRoom: 2 }))).toBeUndefined()
    const one = { indexRoom: 3, metadataIndexes: [metadataIndex(2)] }
    expect(nextStep(stateOf(one))).toBeUndefined()
    const collections = [collection(1, 2_000), collection(2, 3_000), collection(3, 5_000, false)]
    const isPostponed = (what: string) => isRecall(what) || what.startsWith('embeddings_hnsw_')
    expect(nextStep(stateOf({ ...one, collections, isPostponed }))).toEqual(drop(2))
  })

  it('goes when its project has no search index, has other dimensions, or when it is broken', () => {
    const gone = { collections: [collection(2, 3_000)], indexes: [searchIndex(2)] }
    const metadataIndexes = [metadataIndex(1), metadataIndex(2)]
    expect(nextStep(stateOf({ ...gone, metadataIndexes }))).toEqual(drop(1))
    const odd = [metadataIndex(1), metadataIndex(2, { dimensions: 50 })]
    expect(nextStep(stateOf({ metadataIndexes: odd }))).toEqual(drop(2))
    const broken = [metadataIndex(1, { state: 'broken' }), metadataIndex(2)]
    expect(nextStep(stateOf({ metadataIndexes: broken }))).toEqual(drop(1))
    const isPostponed = () => true
    expect(nextStep(stateOf({ metadataIndexes: broken, isPostponed }))).toBeUndefined()
  })

  it('is left alone while it is built', () => {
    const metadataIndexes = [metadataIndex(1, { state: 'building' }), metadataIndex(2)]
    expect(nextStep(stateOf({ metadataIndexes }))).toBeUndefined()
  })
})
