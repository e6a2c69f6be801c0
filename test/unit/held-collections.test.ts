import { describe, expect, it } from 'vitest'
import { HeldCollections } from '../../src/search/memory/held-collections.ts'

const state = (vectors: number, dimensions: number) => ({
  collectionId: 1,
  vectors,
  dimensions,
  revision: 1,
  history: '',
})

describe('room for the vectors of a collection', () => {
  it.each([
    [4_000_000, 1_024],
    [40_000_000, 96],
  ])('is there for %i of %i dimensions', (vectors, dimensions) => {
    const held = new HeldCollections(
      { maxBytes: 1e12 },
      () => {},
      () => {},
    )
    expect(held.take(state(vectors, dimensions))).toBeDefined()
    expect(held.notes()).toEqual([])
  })

  it.each([
    [4_194_304, 1_024],
    [4_194_304, 1_010],
  ])('is not there for the bytes of %i of %i dimensions in one memory', (vectors, dimensions) => {
    const warnings: string[] = []
    const held = new HeldCollections(
      { maxBytes: 1e12 },
      () => {},
      (warning) => warnings.push(warning),
    )
    held.wanted(state(vectors, dimensions))
    expect(held.take(state(vectors, dimensions))).toBeUndefined()
    expect(warnings).toEqual([expect.stringContaining('4,294,967,296 components')])
    expect(held.notes()).toEqual(warnings)
  })

  it('is for what is searched, where more was stored than was uploaded', () => {
    const held = new HeldCollections(
      { maxBytes: 1e6 },
      () => {},
      () => {},
    )
    const searched = { ...state(100, 384), collectionId: 2 }
    held.wanted(searched)
    held.take(searched)
    const uploaded = held.take(state(10, 384)) ?? expect.fail()
    expect(held.fits(state(400, 384), uploaded)).toBe(false)
    expect(held.all().map(([collectionId]) => collectionId)).toEqual([2])
    expect(held.hasRefused(1)).toBe(true)
    const other = held.take(state(10, 384)) ?? expect.fail()
    expect(held.fits(state(200, 384), other)).toBe(true)
  })

  it('ends when a collection outgrows one memory', () => {
    const dropped: number[] = []
    const held = new HeldCollections(
      { maxBytes: 1e12 },
      (collectionId) => dropped.push(collectionId),
      () => {},
    )
    const taken = held.take(state(4_000_000, 1_024)) ?? expect.fail()
    expect(held.grow(state(4_194_304, 1_024), taken)).toBe(false)
    expect(dropped).toEqual([1])
  })
})
