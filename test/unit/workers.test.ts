import { expect, it } from 'vitest'
import { workersOf } from '../../src/server/serve.ts'

it('says how many processes serve', async () => {
  const postgres = { database: 'postgres', dbConnections: 32 } as const
  const allowing = (connections: number) => async () => connections
  const unasked = () => Promise.reject(new Error('nobody has to ask the server'))
  expect(await workersOf({ ...postgres, workers: 1 }, unasked, 8)).toBe(1)
  expect(await workersOf({ ...postgres, workers: 8 }, unasked, 2)).toBe(8)
  expect(await workersOf({ ...postgres, workers: 'auto' }, unasked, 1)).toBe(1)
  expect(await workersOf({ ...postgres, workers: 'auto' }, allowing(97), 2)).toBe(2)
  expect(await workersOf({ ...postgres, workers: 'auto' }, allowing(97), 8)).toBe(3)
  expect(await workersOf({ ...postgres, workers: 'auto' }, allowing(256), 8)).toBe(8)
  expect(await workersOf({ ...postgres, workers: 'auto' }, allowing(20), 8)).toBe(1)
  const embedded = { ...postgres, database: 'embedded' } as const
  expect(await workersOf({ ...embedded, workers: 1 }, unasked, 8)).toBe(1)
  expect(await workersOf({ ...embedded, workers: 'auto' }, unasked, 8)).toBe(1)
})
