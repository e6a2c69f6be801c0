import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { textIdAt } from '../../bench/data.ts'
import { readDataSet } from '../../bench/peers/data-set.ts'
import { createTruth } from '../../bench/truth.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('a file of vectors', () => {
  it('is shuffled the same way each time, and its queries are not stored', () => {
    const path = join(temporaryFolder(), 'few.f32')
    const rows = Array.from({ length: 20 }, (_, row) => [row, row + 0.5])
    writeFileSync(path, Buffer.from(Float32Array.from(rows.flat()).buffer))
    const set = readDataSet({ path, dimensions: 2 }, 4)
    const all = Array.from({ length: 20 }, (_, index) => set.jsonAt(index))
    expect(set).toMatchObject({ vectors: 16, queries: [16, 17, 18, 19] })
    expect(all).not.toEqual(rows.map((row) => JSON.stringify(row)))
    expect(all.toSorted()).toEqual(rows.map((row) => JSON.stringify(row)).toSorted())
    expect(readDataSet({ path, dimensions: 2 }, 4).jsonAt(3)).toBe(all[3])
    expect(() => readDataSet({ path, dimensions: 3 }, 4)).toThrow('no rows of 3')
  })
})

describe('the truth', () => {
  // Of the query; then ten, one that is as near as the tenth, one that is further, one behind.
  const angles = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1 + 1e-8, 1.1, 3]
  const vectorAt = (index: number) => {
    const angle = angles[index] ?? 0
    return Float32Array.of(Math.cos(angle), Math.sin(angle))
  }
  const truthWithout = (leftOut: (index: number) => boolean) => {
    const truth = createTruth({ vectorAt }, [0], leftOut)
    for (const index of angles.keys()) truth.see(index, vectorAt(index))
    return truth
  }
  const texts = (...indexes: number[]) => indexes.map(textIdAt)

  it('counts the ten nearest, and what is as near as the tenth', () => {
    const truth = truthWithout(() => false)
    expect(truth.recall(0, texts(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), false)).toBe(1)
    expect(truth.recall(0, texts(1, 2, 3, 4, 5, 6, 7, 8, 9, 11), false)).toBe(1)
    expect(truth.recall(0, texts(1, 2, 3, 4, 5, 6, 7, 8, 9, 12), false)).toBe(0.9)
  })

  it('counts all where a filter leaves fewer, and nothing of negative similarity', () => {
    const truth = truthWithout((index) => index % 4 !== 1)
    expect(truth.recall(0, texts(1, 5, 9), true)).toBe(1)
    expect(truth.recall(0, texts(1, 5, 13, 2), true)).toBeCloseTo(2 / 3)
    expect(truthWithout((index) => index !== 13).recall(0, [], true)).toBe(1)
  })
})
