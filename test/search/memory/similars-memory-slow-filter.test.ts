import { expect, it } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { startServiceInMemory } from '../../support/servers/service-in-memory.ts'

const dimensions = 64
const random = randomNumbers(3)
const newVector = () => Array.from({ length: dimensions }, () => Math.fround(random() - 0.5))

it('asks of few filters at once what they keep, and leaves one that takes too long to other ways to search', async () => {
  const { service, state, request } = await startServiceInMemory(dimensions, newVector)
  const { vectorCache } = service
  let times = 0
  const search = (key: string, find: () => Promise<string>) =>
    vectorCache.nearest(state, request, {
      key,
      find: () => {
        times += 1
        return find().then((textIds) => ({ textIds, revision: 0 }))
      },
    })
  for (const code of ['57014', '2201E']) {
    const slow = () => Promise.reject(new Error('slow', { cause: { code } }))
    const all = await Promise.all(Array.from({ length: 5 }, () => search(code, slow)))
    expect(all).toEqual(Array.from({ length: 5 }))
    expect(await search(code, slow)).toBeUndefined()
    expect(times).toBe(1)
    times = 0
  }
  const lost = () => Promise.reject(new Error('lost', { cause: { code: '08006' } }))
  await expect(search('other', lost)).rejects.toThrow('lost')
  const found = await search('other', async () => '["t1", "t2"]')
  expect(new Set(found?.textIds)).toEqual(new Set(['t1', 't2']))
  expect(times).toBe(2)
  let [running, most] = [0, 0]
  const counted = async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setTimeout(resolve, 5))
    running -= 1
    return '["t3"]'
  }
  const many = Array.from({ length: 30 }, (_, at) => search(`filter ${at}`, counted))
  for (const { textIds } of (await Promise.all(many)).filter((each) => each !== undefined)) {
    expect(textIds).toEqual(['t3'])
  }
  expect(times).toBe(32)
  expect(most).toBeLessThanOrEqual(4)
  await service.close()
})
