import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { textIdAt } from '../../bench/data.ts'
import { leastEffort } from '../../bench/effort.ts'
import { readDataSet } from '../../bench/peers/data-set.ts'
import { cpuBetween, parseStat } from '../../bench/processes.ts'
import { createTruth } from '../../bench/truth.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('the least effort', () => {
  it('is the first that reaches the recall, and none above it is tried', async () => {
    const tried: number[] = []
    const recallAt = async (efSearch: number) => {
      tried.push(efSearch)
      return efSearch >= 80 ? 0.991 : 0.97
    }
    await expect(leastEffort(recallAt)).resolves.toEqual({ efSearch: 80, recall: 0.991 })
    expect(tried).toEqual([40, 60, 80])
  })

  it('is the best of all where none reaches it', async () => {
    const recallAt = async (efSearch: number) => (efSearch === 200 ? 0.98 : 0.9)
    await expect(leastEffort(recallAt)).resolves.toEqual({ efSearch: 200, recall: 0.98 })
  })
})

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

describe('the CPU of processes', () => {
  it('is read from behind the name, whatever that holds', () => {
    const times = '7 3 2 1'
    const text = `12 (odd) name) S 4 12 12 0 -1 0 0 0 0 0 ${times} 20 0 1 0 100`
    expect(parseStat(text)).toEqual({ program: 'odd) name', parent: 4, own: 100, ended: 30 })
  })

  it('counts what came and forgets what went', () => {
    const before = new Map([
      [1, 100],
      [2, 50],
    ])
    const after = new Map([
      [1, 130],
      [3, 20],
    ])
    expect(cpuBetween(before, after)).toBe(50)
    expect(cpuBetween(undefined, after)).toBeUndefined()
  })
})
