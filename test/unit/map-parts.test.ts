import { describe, expect, it } from 'vitest'
import { ValueColumn } from '../../src/maps/map-answer.ts'
import { KeptPlaces, keptPoints } from '../../src/maps/stored.ts'

describe('a kept map', () => {
  const textIds = ['a', 'b', 'c', 'ä', '𝄞']
  const places = Float32Array.from(textIds.flatMap((_, row) => [row / 8, -row / 8]))
  const rowsOf = (asked: readonly string[]) => {
    const points = new KeptPlaces(keptPoints(textIds, places))
    return asked.map((textId) => points.placeOf(textId))
  }

  it('has the places of its texts, in order and with others between them', () => {
    const all = textIds.map((_, row) => ({ x: row / 8, y: row === 0 ? -0 : -row / 8 }))
    expect(rowsOf(textIds)).toEqual(all)
    expect(rowsOf(['0', 'b', 'bb', 'ä', '𝄞', 'z'])).toEqual([
      undefined,
      all[1],
      undefined,
      all[3],
      all[4],
      undefined,
    ])
  })
})

describe('the values of a field', () => {
  it('are there once, and not more than there is room for', () => {
    const column = new ValueColumn()
    const large = (name: string) => JSON.stringify(name.repeat(3 * 2 ** 20))
    for (const value of ['1', null, '"1"', '1']) column.add(value)
    for (const value of [large('a'), large('b'), large('c'), '2']) column.add(value)
    expect(column.indexes).toEqual([0, -1, 1, 0, 2, 3, -1, 4])
    expect(column.hasMore).toBe(true)
  })
})
