import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { randomNumbers } from '../shared/random-numbers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type Chance, contentAfter, cutPower, keepAll, namesAfter } from '../torture/power/disk.ts'

const nothing: Chance = { random: () => 0.5, shareOf: () => 0 }
const all: Chance = { ...nothing, shareOf: () => 1 }

describe('what a power cut leaves', () => {
  const [old, young] = [Buffer.alloc(20_000, 'o'), Buffer.alloc(30_000, 'y')]

  test('nothing, or all, of what was not synced', () => {
    expect(contentAfter(old, young, nothing)).toEqual(old)
    expect(contentAfter(old, young, all)).toEqual(young)
    expect(namesAfter({ f: '1' }, { f: '2', g: '3' }, nothing)).toEqual({ f: '1' })
    expect(namesAfter({ f: '1' }, { f: '2', g: '3' }, all)).toEqual({ f: '2', g: '3' })
  })

  test('each sector as it was or as it is', () => {
    const some: Chance = { random: randomNumbers(1), shareOf: () => 0.5 }
    const left = contentAfter(old, young.subarray(0, old.length), some).toString()
    for (let at = 0; at + 512 <= left.length; at += 512) {
      expect(['o'.repeat(512), 'y'.repeat(512)]).toContain(left.slice(at, at + 512))
    }
    expect(new Set(left)).toEqual(new Set(['o', 'y']))
  })

  test('a renamed file under one of its names', () => {
    for (const random of [0, 0.9]) {
      const left = namesAfter(
        { a: '1', b: '2' },
        { b: '1' },
        { random: () => random, shareOf: () => 0.5 },
      )
      expect(left).toEqual(random === 0 ? { b: '1' } : { a: '1', b: '2' })
    }
  })

  test('a folder and its file, if only their removal was not synced', () => {
    const place = temporaryFolder()
    const [folder, kept] = [join(place, 'site'), join(place, 'kept')]
    const inner = join(folder, 'inner')
    mkdirSync(inner, { recursive: true })
    writeFileSync(join(inner, 'file'), 'old')
    keepAll(kept, folder)
    rmSync(inner, { recursive: true })
    cutPower(folder, kept, nothing)
    expect(readFileSync(join(inner, 'file'), 'utf8')).toBe('old')
  })
})
