import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { CacheThread, MaskMaker } from '../../src/search/memory/cache-thread.ts'

const makerOf = () => {
  const thread = new CacheThread(1, () => {})
  return new MaskMaker(thread, { requester: () => undefined })
}
const failing = (error: unknown) => ({ key: 'filter', find: () => Promise.reject(error) })

it.each([
  ['for a value of PostgreSQL', Object.assign(new Error('too long'), { code: '54000' })],
  ['for a text that is received', Object.assign(new Error(), { code: 'ERR_STRING_TOO_LONG' })],
  ['for a text that is put together', new RangeError('Invalid string length')],
  ['for a statement', Object.assign(new Error('cancelled'), { code: '57014' })],
  ['for a filter of large metadata', Object.assign(new Error('late'), { code: '2201E' })],
])('leaves a filter to other strategies that takes too long %s', async (_, error) => {
  const masks = makerOf()
  expect(await masks.make(1, failing(error))).toBe(false)
  const find = () => Promise.reject(new Error('is not asked again'))
  expect(await masks.make(1, { key: 'filter', find })).toBe(false)
})

it('asks of few filters at once what they keep, and of each once', async () => {
  const masks = makerOf()
  let [asked, running, most] = [0, 0, 0]
  const find = async () => {
    asked += 1
    running += 1
    most = Math.max(most, running)
    await sleep(5)
    running -= 1
    return { textIds: '[]', revision: 0 }
  }
  const keys = Array.from({ length: 90 }, (_, at) => `filter ${at % 30}`)
  const made = await Promise.all(keys.map((key) => masks.make(1, { key, find })))
  expect(made).toEqual(keys.map(() => true))
  expect(asked).toBe(30)
  expect(most).toBe(4)
})

it('makes one that nobody waits for, unless others are made, and again if it fails', async () => {
  const masks = makerOf()
  const asked: string[] = []
  const filterOf = (key: string) => ({
    key,
    find: async () => {
      asked.push(key)
      await sleep(5)
      if (asked.length === 1) throw new Error('gone away')
      return { textIds: '[]', revision: 0 }
    },
  })
  masks.makeSoon(1, filterOf('one'))
  masks.makeSoon(1, filterOf('other'))
  await sleep(20)
  masks.makeSoon(1, filterOf('one'))
  expect(await masks.make(1, filterOf('awaited'))).toBe(true)
  expect(asked).toEqual(['one', 'one', 'awaited'])
})

it('fails as the database does otherwise', async () => {
  const gone = new Error('gone away')
  await expect(makerOf().make(1, failing(gone))).rejects.toThrow(gone)
})
