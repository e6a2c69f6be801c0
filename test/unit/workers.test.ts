import { expect, it } from 'vitest'
import { workersOf } from '../../src/server/serve.ts'

it('says how many processes serve', () => {
  const postgres = { database: 'postgres', dbConnections: 32 } as const
  expect(workersOf({ ...postgres, workers: 1 }, 8)).toBe(1)
  expect(workersOf({ ...postgres, workers: 8 }, 2)).toBe(8)
  expect(workersOf({ ...postgres, workers: 'auto' }, 2)).toBe(2)
  expect(workersOf({ ...postgres, workers: 'auto' }, 8)).toBe(3)
  expect(workersOf({ ...postgres, dbConnections: 12, workers: 'auto' }, 8)).toBe(8)
  expect(workersOf({ ...postgres, dbConnections: 200, workers: 'auto' }, 8)).toBe(1)
  expect(workersOf({ ...postgres, database: 'embedded', workers: 1 }, 8)).toBe(1)
  expect(workersOf({ ...postgres, database: 'embedded', workers: 'auto' }, 8)).toBe(1)
})
