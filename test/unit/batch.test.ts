import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { badRequest } from '../../src/errors.ts'
import { answerEach } from '../../src/search/batch/batch.ts'

it('no more of a batch is begun once one has failed, though another is refused behind it', async () => {
  const begun: number[] = []
  const requests = Array.from({ length: 20 }, (_, index) => index)
  const answering = answerEach(requests, async (request) => {
    begun.push(request)
    if (request === 0) throw new Error('no database')
    await sleep(request)
    throw badRequest('unfit')
  })
  await expect(answering).rejects.toThrow('no database')
  await sleep(100)
  expect(begun).toEqual([0, 1, 2, 3])
})
