import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ArrayReader, writeArrays } from '../../src/search/memory/files/array-file.ts'
import { TextIdSlots } from '../../src/search/memory/text-id-slots.ts'
import { randomNumbers } from '../shared/random-numbers.ts'
import { newFolder } from '../support/servers/site.ts'

const characters = ['a', 'B', '/', 'é', 'ÿ', '中', '\uffff', '😀', '𐀀']

/** A source of text_ids, of which there are so many; some are the beginnings of others. */
function textIdsOf(count: number, seed: number) {
  const random = randomNumbers(seed)
  const below = (end: number) => Math.floor(random() * end)
  const some = Array.from({ length: count }, (_, at) => {
    const length = at % 50 === 0 ? 300 : at % 12
    return Array.from({ length }, () => characters[below(characters.length)]).join('') + (at % 97)
  })
  const all = [...new Set(some)]
  return { below, next: () => all[below(all.length)] ?? '' }
}

/** Gives and takes slots at random, more of the one in some rounds and of the other in others. */
function change(slots: TextIdSlots, known: Map<string, number>, seed: number) {
  const { below, next } = textIdsOf(3_000, seed)
  for (let step = 0; step < 30_000; step += 1) {
    const textId = next()
    if (below(3) === (step % 10_000 < 5_000 ? 0 : 1) || below(2) === 0) {
      const slot = slots.take(textId)
      expect(known.get(textId) ?? slot).toBe(slot)
      known.set(textId, slot)
    } else {
      expect(slots.release(textId)).toBe(known.get(textId))
      known.delete(textId)
    }
  }
}

function expectAll(slots: TextIdSlots, known: ReadonlyMap<string, number>) {
  expect(slots.size).toBe(known.size)
  expect([...slots.used()].sort((a, b) => a - b)).toEqual([...known.values()].sort((a, b) => a - b))
  let bytes = 0
  for (const [textId, slot] of known) {
    expect(slots.of(textId)).toBe(slot)
    expect(slots.textIdOf(slot)).toBe(textId)
    expect(slots.of(`${textId}x`)).toBe(known.get(`${textId}x`))
    bytes += Buffer.byteLength(textId)
  }
  expect(slots.idSizes).toEqual({ count: known.size, bytes })
  const inOrder = [...known].sort(([, a], [, b]) => slots.order(a, b)).map(([textId]) => textId)
  expect(inOrder).toEqual(
    [...known.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  )
}

it('knows the slot of each text_id after any changes, also from a file', async () => {
  const [slots, known] = [new TextIdSlots(), new Map<string, number>()]
  change(slots, known, 1)
  expectAll(slots, known)
  // No more than were used at once.
  expect(slots.length).toBeLessThan(3_000)

  const path = join(await newFolder(), 'text-ids')
  const { hash } = await writeArrays(
    `${path}.new`,
    () => path,
    () => {},
    (file) => slots.write(file),
  )
  const read = new TextIdSlots()
  const file = await ArrayReader.open(path, hash)
  await read.read(file)
  await file.close()
  expectAll(read, known)
  change(read, known, 2)
  expectAll(read, known)
})

it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
  'may be asked before part %i of it is written',
  async (part) => {
    // More than half of the bytes are of text_ids that are gone, and there is room for few more.
    for (let more = 0; more < 400; more += 20) {
      const slots = new TextIdSlots()
      for (let at = 0; at < 1_000; at += 1) slots.take(`${at} ${'x'.repeat(20)}`)
      for (let at = 0; at < 600; at += 1) slots.release(`${at} ${'x'.repeat(20)}`)
      for (let at = 0; at < more; at += 1) slots.take(`${at} again`)
      const textIds = Array.from(slots.used(), (slot) => slots.textIdOf(slot))
      const wanted = textIds.map((textId) => slots.of(textId))

      const path = join(await newFolder(), 'text-ids')
      let parts = 0
      const ask = () => {
        parts += 1
        if (parts === part) expect(slots.of('y'.repeat(300))).toBeUndefined()
      }
      const { hash } = await writeArrays(
        `${path}.new`,
        () => path,
        ask,
        (file) => slots.write(file),
      )
      const read = new TextIdSlots()
      const file = await ArrayReader.open(path, hash)
      await read.read(file)
      await file.close()
      expect(textIds.map((textId) => read.of(textId))).toEqual(wanted)
    }
  },
)

it('takes no more memory for text_ids that come and go', () => {
  const slots = new TextIdSlots()
  const before = process.memoryUsage().arrayBuffers
  for (let step = 0; step < 100_000; step += 1) {
    slots.take(`${step}${'x'.repeat(1_000)}`)
    if (step >= 10) slots.release(`${step - 10}${'x'.repeat(1_000)}`)
  }
  expect(slots.length).toBeLessThan(20)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20e6)
})
