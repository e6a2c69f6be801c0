import { describe, expect, it } from 'vitest'
import { HeldVectors } from '../../src/search/memory/held-vectors.ts'
import { VectorRoom } from '../../src/search/memory/vector-room.ts'

const state = (vectors: number, dimensions: number) => ({
  collectionId: 1,
  vectors,
  dimensions,
  revision: 1,
  history: '',
})

const reads = { async *read() {}, failed: () => {} }
const vectorsOf = (size: ReturnType<typeof state>) =>
  new HeldVectors({ ...size, serverHistory: 0, hasMadeRoom: false }, reads)

/** Room for so many bytes; what it drops and warns of is noted. */
function roomOf(maxBytes: number) {
  const [dropped, warnings]: [number[], string[]] = [[], []]
  const drop = (collectionId: number) => void dropped.push(collectionId)
  const room = new VectorRoom({ maxBytes }, drop, (warning) => void warnings.push(warning))
  return { room, dropped, warnings }
}

describe('room for the vectors of a collection', () => {
  it.each([
    [4_000_000, 1_024],
    [16_777_216, 96],
  ])('is there for %i of %i dimensions', (vectors, dimensions) => {
    const { room } = roomOf(1e12)
    expect(room.take(vectorsOf(state(vectors, dimensions)))).toBe(true)
    expect(room.notes()).toEqual([])
  })

  it.each([
    [4_194_304, 1_024],
    [4_194_304, 1_010],
    [16_777_217, 96],
  ])(
    'is not there for the bytes or text_ids of %i of %i dimensions in one memory',
    (vectors, dimensions) => {
      const { room, warnings } = roomOf(1e12)
      for (let time = 0; time < 2; time += 1) room.wanted(state(vectors, dimensions))
      expect(room.take(vectorsOf(state(vectors, dimensions)))).toBe(false)
      expect(warnings).toEqual([
        expect.stringContaining('4,294,967,296 components or 16,777,216 embeddings'),
      ])
      expect(room.notes()).toEqual(warnings)
    },
  )

  it('is for what is searched, where more was stored than was uploaded', () => {
    const { room } = roomOf(1e6)
    const searched = { ...state(100, 384), collectionId: 2 }
    room.wanted(searched)
    expect(room.take(vectorsOf(searched))).toBe(true)
    const uploaded = vectorsOf(state(10, 384))
    expect(room.take(uploaded)).toBe(true)
    expect(room.take(uploaded, 400)).toBe(false)
    expect(room.held.all().map(({ collectionId }) => collectionId)).toEqual([2])
    expect(room.hasRefused(1)).toBe(true)
    const other = vectorsOf(state(10, 384))
    expect(room.take(other)).toBe(true)
    expect(room.take(other, 200)).toBe(true)
  })

  it('ends when a collection outgrows one memory', () => {
    const { room, dropped } = roomOf(1e12)
    const taken = vectorsOf(state(4_000_000, 1_024))
    expect(room.take(taken)).toBe(true)
    expect(room.grow(taken, 4_194_304)).toBe(false)
    expect(dropped).toEqual([1])
  })
})
