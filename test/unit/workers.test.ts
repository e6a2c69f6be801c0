import { availableParallelism } from 'node:os'
import { expect, it } from 'vitest'
import { workersOf } from '../../src/server/processes/supervise.ts'

it('says how many processes serve', () => {
  expect(workersOf({ database: 'postgres', workers: 1 })).toBe(1)
  expect(workersOf({ database: 'postgres', workers: 3 })).toBe(3)
  expect(workersOf({ database: 'postgres', workers: 'auto' })).toBe(availableParallelism())
  expect(workersOf({ database: 'embedded', workers: 1 })).toBe(1)
  expect(workersOf({ database: 'embedded', workers: 'auto' })).toBe(1)
})
