import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { connectionsOf, sumOf } from '../../src/db/connections.ts'
import { shareOf, workersOf } from '../../src/server/processes/division.ts'

const configOf = (env: Record<string, string>) =>
  readConfig({}, { SERVICE_DATABASE: 'postgres', ...env }, {})

describe('the processes that serve', () => {
  it('are one unless said otherwise, and with auto as many as there are cores', () => {
    expect(workersOf(configOf({}), 8)).toBe(1)
    expect(workersOf(configOf({ SERVICE_WORKERS: '3' }), 8)).toBe(3)
    const auto = { SERVICE_WORKERS: 'auto', SERVICE_DBCONNECTIONS: '100' }
    expect(workersOf(configOf(auto), 8)).toBe(8)
    expect(workersOf(configOf(auto), 1)).toBe(1)
  })

  it('are with auto not more than there are connections for', () => {
    const auto = { SERVICE_WORKERS: 'auto' }
    expect(workersOf(configOf(auto), 64)).toBe(5)
    expect(workersOf(configOf({ ...auto, SERVICE_POOLBULK: '2' }), 64)).toBe(2)
    expect(workersOf(configOf({ ...auto, SERVICE_DBCONNECTIONS: '6' }), 64)).toBe(1)
  })

  it('are one with the embedded database, and more are refused', () => {
    const embedded = (workers: string) =>
      configOf({ SERVICE_DATABASE: 'embedded', SERVICE_WORKERS: workers })
    expect(workersOf(embedded('1'), 8)).toBe(1)
    expect(workersOf(embedded('auto'), 8)).toBe(1)
    expect(() => workersOf(embedded('2'), 8)).toThrow(
      'SERVICE_WORKERS (--workers) must be 1 with the embedded database, which one process alone can open',
    )
  })

  it('are refused where there are too few connections for them', () => {
    const refusal = (env: Record<string, string>) => () =>
      workersOf(configOf({ SERVICE_WORKERS: '4', ...env }), 8)
    expect(refusal({ SERVICE_DBCONNECTIONS: '23' })).toThrow(
      'SERVICE_DBCONNECTIONS (23) is too few for 4 workers, which need 6 each; raise it to 24, or lower SERVICE_WORKERS',
    )
    expect(refusal({ SERVICE_POOLSHORT: '7' })).toThrow(
      'SERVICE_POOLSHORT (7) is too few for 4 workers, which need 2 each; raise it to 8, or lower SERVICE_WORKERS',
    )
    expect(refusal({ SERVICE_POOLSEARCH: '24' })).toThrow(
      'for each of 4 workers SERVICE_POOLSEARCH and 3 for the other pools and 1 for maintenance make 10 connections, more than SERVICE_DBCONNECTIONS (8)',
    )
  })

  it('have together no more connections and memory than were given', () => {
    for (let connections = 12; connections < 100; connections += 1) {
      for (const workers of [1, 2]) {
        const env = { SERVICE_DBCONNECTIONS: `${connections}`, SERVICE_VECTORMEMORY: '1001' }
        const { dbConnections, vectorMemory } = shareOf(configOf(env), workers)
        expect(workers * sumOf(connectionsOf(dbConnections, {}))).toBeLessThanOrEqual(connections)
        expect(workers * vectorMemory).toBeLessThanOrEqual(1_001)
      }
    }
    const memoryOf = (megabytes: string) =>
      shareOf(configOf({ SERVICE_VECTORMEMORY: megabytes }), 4).vectorMemory
    expect([memoryOf('0'), memoryOf('3'), memoryOf('9')]).toEqual([0, 1, 2])
  })
})
