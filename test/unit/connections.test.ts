import { describe, expect, it } from 'vitest'
import { connectionsOf, sumOf, usualConnections } from '../../src/db/postgres/connections.ts'
import { StartupError } from '../../src/errors.ts'

describe('connections', () => {
  it('are divided as usual when nothing is given', () => {
    expect(connectionsOf(32, {})).toEqual(usualConnections)
    expect(sumOf(usualConnections)).toBe(32)
  })

  it('are divided in proportion, and all of them', () => {
    expect(connectionsOf(62, {})).toEqual({
      access: 8,
      short: 12,
      search: 32,
      bulk: 8,
      maintenance: 2,
    })
    for (let total = 6; total < 300; total += 1) {
      const connections = connectionsOf(total, {})
      expect(sumOf(connections)).toBe(total)
      const { access, short, search, bulk } = connections
      expect(Math.min(access, short, search, bulk)).toBeGreaterThan(0)
      expect(search).toBeGreaterThanOrEqual(short)
      expect(short).toBeGreaterThanOrEqual(access)
      expect(Math.abs(access - bulk)).toBeLessThanOrEqual(1)
    }
  })

  it('count as given where they are given, and the others share the rest', () => {
    expect(connectionsOf(32, { search: 2, short: undefined })).toEqual({
      access: 8,
      short: 12,
      search: 2,
      bulk: 8,
      maintenance: 2,
    })
    expect(connectionsOf(32, { access: 1, short: 1, search: 1, bulk: 1 })).toMatchObject({
      access: 1,
      search: 1,
    })
    expect(connectionsOf(32, { search: 27 })).toMatchObject({ access: 1, short: 1, bulk: 1 })
  })

  it('are refused when there are more than in all', () => {
    expect(() => connectionsOf(32, { search: 28 })).toThrow(
      new StartupError(
        'SERVICE_POOLSEARCH and 3 for the other pools and 2 for maintenance make 33 connections, more than SERVICE_DBCONNECTIONS (32); raise it, or lower the others',
      ),
    )
    expect(() => connectionsOf(32, { access: 8, short: 8, search: 8, bulk: 8 })).toThrow(
      new StartupError(
        'SERVICE_POOLACCESS, SERVICE_POOLSHORT, SERVICE_POOLSEARCH, SERVICE_POOLBULK and 2 for maintenance make 34 connections, more than SERVICE_DBCONNECTIONS (32); raise it, or lower the others',
      ),
    )
  })
})
