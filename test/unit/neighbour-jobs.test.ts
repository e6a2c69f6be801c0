import { expect, it } from 'vitest'
import { Jobs } from '../../src/neighbours/jobs.ts'

const requester = (name: string, isKeyless = false) => ({
  ...{ name, isKeyless },
  signal: new AbortController().signal,
})
const visitor = (owner: string) => requester(`of ${owner}`, true)
const user = (name: string) => requester(name)

it('visitors wait in turn, and users go before the next of them', async () => {
  const jobs = new Jobs(1)
  const order: string[] = []
  const begin = async (name: string, who: ReturnType<typeof requester>) => {
    const job = await jobs.begin(who, false)
    order.push(name)
    return job
  }
  const first = await begin('first visitor', visitor('ann'))
  const second = begin('second visitor', visitor('ann'))
  const third = begin('third visitor', visitor('bob'))
  expect(first.whoWaits()).toBe('others')
  const eve = begin('eve', user('eve'))
  expect(first.whoWaits()).toBe('with-key')
  first.end()
  ;(await eve).end()
  ;(await second).end()
  ;(await third).end()
  expect(order).toEqual(['first visitor', 'eve', 'second visitor', 'third visitor'])
})
