import { describe, expect, it } from 'vitest'
import { Troubles } from '../../src/service/overview/troubles.ts'

describe('what is remembered of requests', () => {
  const request = { method: 'GET', status: 404, ms: 1 }

  it('is bounded', () => {
    const troubles = new Troubles(1)
    const about = { user: undefined, project: undefined, caller: '_nobody', spent: {} }
    for (let each = 0; each < 1_000; each += 1) {
      troubles.refused({ ...request, route: `/${each}`, detail: undefined })
      troubles.slow({ ...request, ...about, route: '/', ms: each })
    }
    expect([troubles.refusals.count, troubles.refusals.kinds.length]).toEqual([1_000, 300])
    const { count, requests } = troubles.slowest
    expect([count, requests.length, requests[0]?.ms, requests.at(-1)?.ms]).toEqual([
      1_000, 50, 999, 950,
    ])
  })
})
