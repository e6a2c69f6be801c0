import { describe, expect, it } from 'vitest'
import { connectionsOf, maxLockingOf, sumOf, usualConnections } from '../../src/db/connections.ts'
import { StartupError } from '../../src/errors.ts'

describe('connections', () => {
  it('are divided as usual when nothing is given', () => {
    expect(connectionsOf(32, {})).toEqual(usualConnections)
    expect(sumOf(usualConnections)).toBe(32)
  })

  it('are divided in proportion, and all of them', () => {
    expect(connectionsOf(62, {})).toEqual({ short: 20, search: 32, bulk: 8, maintenance: 2 })
    for (let total = 6; total < 300; total += 1) {
      const connections = connectionsOf(total, {})
      expect(sumOf(connections)).toBe(total)
      const { short, search, bulk } = connections
      expect(Math.min(search, short)).toBeGreaterThan(1)
      expect(bulk).toBeGreaterThan(0)
      if (total > 8) expect(search).toBeGreaterThanOrEqual(short)
      expect(short).toBeGreaterThanOrEqual(bulk)
    }
  })

  it('count as given where they are given, and the others share the rest', () => {
    expect(connectionsOf(32, { search: 2, short: undefined })).toEqual({
      short: 20,
      search: 2,
      bulk: 8,
      maintenance: 2,
    })
    expect(connectionsOf(32, { short: 2, search: 2, bulk: 1 })).toEqual({
      short: 2,
      search: 2,
      bulk: 1,
      maintenance: 2,
    })
    expect(connectionsOf(32, { search: 28 })).toMatchObject({ short: 2, bulk: 1, maintenance: 1 })
  })

  it('are refused when there are more than in all', () => {
    expect(() => connectionsOf(32, { search: 29 })).toThrow(
      new StartupError(
        'SERVICE_POOLSEARCH and 3 for the other pools and 1 for maintenance make 33 connections, more than SERVICE_DBCONNECTIONS (32); raise it, or lower the others',
      ),
    )
    expect(() => connectionsOf(32, { short: 12, search: 10, bulk: 10 })).toThrow(
      new StartupError(
        'SERVICE_POOLSHORT, SERVICE_POOLSEARCH, SERVICE_POOLBULK and 1 for maintenance make 33 connections, more than SERVICE_DBCONNECTIONS (32); raise it, or lower the others',
      ),
    )
  })

  it('of the short pool are kept from transactions, some but never all', () => {
    expect([1, 2, 3, 4, 5, 6, 10, 30].map(maxLockingOf)).toEqual([1, 1, 2, 2, 3, 4, 8, 28])
  })
})
