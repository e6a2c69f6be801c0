import { expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { embedding, newProject, upload } from '../../support/factories.ts'

/** More than any queue gives to one who asks for much. */
const crowd = 600

it('a crowd that reads a public project keeps no other user waiting, nor from being answered', async () => {
  const open = await newProject({ public_read: true })
  await upload(open, embedding('a', [1, 0, 0]), embedding('b', [0, 1, 0]))
  const other = await newProject()
  await upload(other, embedding('own', [1, 1, 0]))
  // Those who wait for too long are refused all at once, on a busy machine long before the user has all answers.
  let served = 0
  const others = Array.from({ length: crowd }, async () => {
    const { status } = await call('GET', `${open.path('similars')}/a?threshold=0`)
    if (status === 200) served += 1
    return status
  })
  const { key } = other.owner
  for (const path of [other.path(), `${other.path('embeddings')}/own`, other.path('embeddings')]) {
    expect((await call('GET', path, { key })).status).toBe(200)
  }
  expect((await call('GET', `${other.path('similars')}/own`, { key })).status).toBe(200)
  expect(served).toBeLessThan(crowd / 2)
  const statuses = new Set(await Promise.all(others))
  statuses.delete(503)
  expect([...statuses]).toEqual([200])
})
