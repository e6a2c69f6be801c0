import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Pace } from '../../src/providers/pace.ts'
import { NoReply } from '../../src/providers/post.ts'

it('asks a provider for as many texts as it embeds in time', async () => {
  const pace = new Pace()
  const first = pace.textsIn('slow', 20_000)
  expect(first).toBeGreaterThan(1)
  expect(await pace.measured('slow', 10, () => sleep(100, 'answer'))).toBe('answer')
  expect(pace.textsIn('slow', 100)).toBeLessThanOrEqual(10)
  expect(pace.textsIn('slow', 1)).toBe(1)
  expect(pace.textsIn('another', 100)).toBe(first)
})

it.each([
  ['after a timeout', 'gateway-timeout', 1],
  ['but not after a failure', 'bad-gateway', 16],
] as const)('asks for fewer texts %s', async (_, kind, texts) => {
  const pace = new Pace()
  const fail = async () => {
    await sleep(50)
    throw new NoReply(kind, 'it did not answer', undefined)
  }
  await expect(pace.measured('slow', 16, fail)).rejects.toThrow('it did not answer')
  expect(pace.textsIn('slow', 3)).toBe(texts)
})
