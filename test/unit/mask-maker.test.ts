import { expect, it } from 'vitest'
import { CacheThread, MaskMaker } from '../../src/search/memory/cache-thread.ts'

const makerOf = () => {
  const thread = new CacheThread({ exactBudget: 1 }, () => {})
  return new MaskMaker(thread, { requester: () => undefined })
}
const failing = (error: unknown) => ({ key: 'filter', find: () => Promise.reject(error) })

it.each([
  ['for a value of PostgreSQL', Object.assign(new Error('too long'), { code: '54000' })],
  ['for a text that is received', Object.assign(new Error(), { code: 'ERR_STRING_TOO_LONG' })],
  ['for a text that is put together', new RangeError('Invalid string length')],
])('leaves a filter to other strategies whose text_ids are too long %s', async (_, error) => {
  const masks = makerOf()
  expect(await masks.make(1, failing(error))).toBe(false)
  const find = () => Promise.reject(new Error('is not asked again'))
  expect(await masks.make(1, { key: 'filter', find })).toBe(false)
})

it('fails as the database does otherwise', async () => {
  const gone = new Error('gone away')
  await expect(makerOf().make(1, failing(gone))).rejects.toThrow(gone)
})
