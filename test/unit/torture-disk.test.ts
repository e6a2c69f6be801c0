import { describe, expect, test } from 'vitest'
import { type Chance, Disk } from '../torture/power/disk.ts'
import type { Entry } from '../torture/power/log.ts'

const nothing: Chance = { random: () => 0.5, shareOf: () => 0, torn: 0 }
const all: Chance = { ...nothing, shareOf: () => 1 }

/** A disk after what was done, one entry at each position. */
function diskAfter(done: readonly (Entry | [Entry, bytes: Buffer])[], isPosix = false): Disk {
  const disk = new Disk(isPosix)
  for (const [position, each] of done.entries()) {
    const [entry, bytes] = Array.isArray(each) ? each : [each, Buffer.alloc(0)]
    disk.apply({ position, entry, bytes })
  }
  return disk
}

const create = (path: string, inode: number, kind: 'file' | 'folder' = 'file'): Entry => ({
  op: 'create',
  path,
  inode,
  kind,
  mode: 0o600,
})
const write = (inode: number, at: number, bytes: Buffer): [Entry, Buffer] => [
  { op: 'write', inode, at },
  bytes,
]
const sync = (inode: number, begun: number): Entry => ({ op: 'sync', inode, begun })
const contents = (disk: Disk, chance: Chance) =>
  Object.fromEntries([...disk.cut(chance)].map(([name, { bytes }]) => [name, bytes.toString()]))

describe('what a power cut leaves', () => {
  const file = [create('d', 1, 'folder'), create('d/f', 2), write(2, 0, Buffer.from('one'))]

  test('nothing, or all, of what was not synced', () => {
    const disk = diskAfter(file)
    expect(contents(disk, nothing)).toEqual({})
    expect(contents(disk, all)).toEqual({ d: '', 'd/f': 'one' })
  })

  test('what was written before a sync began, and the names of a new file and its folders', () => {
    const done = [...file, write(2, 3, Buffer.from(' two')), sync(2, 3)]
    expect(contents(diskAfter(done), nothing)).toEqual({ d: '', 'd/f': 'one' })
    expect(contents(diskAfter(done), all)).toEqual({ d: '', 'd/f': 'one two' })
  })

  test('to POSIX a name only after a sync of its folder', () => {
    const done = [...file, create('.', 9, 'folder')].slice(0, 3)
    expect(contents(diskAfter([...done, sync(2, 3)], true), nothing)).toEqual({})
    expect(contents(diskAfter([...done, sync(2, 3), sync(1, 4)], true), all)).toEqual({
      d: '',
      'd/f': 'one',
    })
  })

  test('a renamed file under its old name until its folder is synced', () => {
    const renamed: Entry = { op: 'rename', from: 'd/f', to: 'd/g' }
    const done = [...file, sync(2, 3), renamed]
    expect(contents(diskAfter(done), nothing)).toEqual({ d: '', 'd/f': 'one' })
    expect(contents(diskAfter([...done, sync(1, 5)]), nothing)).toEqual({ d: '', 'd/g': 'one' })
  })

  test('no older content of a sector over a newer one, and parts of a write by sectors', () => {
    const [old, young] = [Buffer.alloc(2_048, 'o'), Buffer.alloc(2_048, 'y')]
    const done = [create('f', 2), write(2, 0, old), sync(2, 2), write(2, 0, young)]
    let toss = 0
    const torn: Chance = { random: () => (toss++ % 2) * 0.9, shareOf: () => 1, torn: 1 }
    const left = contents(diskAfter(done), torn)['f'] ?? ''
    expect(left).toHaveLength(2_048)
    for (let at = 0; at < left.length; at += 512) {
      expect(['o'.repeat(512), 'y'.repeat(512)]).toContain(left.slice(at, at + 512))
    }
    expect(new Set(left)).toEqual(new Set(['o', 'y']))
  })
})
