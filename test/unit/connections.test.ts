import { describe, expect, it } from 'vitest'
import { connectionsOf, maxLockingOf } from '../../src/db/connections.ts'

describe('connections', () => {
  it('are divided by a fixed rule', () => {
    expect(connectionsOf(6)).toEqual({ short: 2, search: 2, bulk: 1, maintenance: 1 })
    expect(connectionsOf(32)).toEqual({ short: 10, search: 16, bulk: 4, maintenance: 2 })
    expect(connectionsOf(62)).toEqual({ short: 20, search: 33, bulk: 7, maintenance: 2 })
  })

  it('are all given away, and enough of them for each kind of work', () => {
    for (let total = 6; total < 300; total += 1) {
      const { short, search, bulk, maintenance } = connectionsOf(total)
      expect(short + search + bulk + maintenance).toBe(total)
      expect(Math.min(search, short)).toBeGreaterThan(1)
      expect(Math.min(bulk, maintenance)).toBeGreaterThan(0)
    }
  })

  it('of the short pool are kept from transactions, some but never all', () => {
    expect([1, 2, 3, 4, 5, 6, 10, 30].map(maxLockingOf)).toEqual([1, 1, 2, 2, 3, 4, 8, 28])
  })
})
