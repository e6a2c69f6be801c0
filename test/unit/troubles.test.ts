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
    const { refusals, slow } = troubles.seen
    expect([refusals.count, refusals.kinds.length]).toEqual([1_000, 300])
    const { count, requests } = slow
    expect([count, requests.length, requests[0]?.ms, requests.at(-1)?.ms]).toEqual([
      1_000, 50, 999, 950,
    ])
  })

  it('keeps what is frequent, and has room for what is new', () => {
    const troubles = new Troubles(1)
    const refuse = (route: string) => troubles.refused({ ...request, route, detail: undefined })
    for (const route of ['/often', '/often']) refuse(route)
    for (let each = 0; each < 1_000; each += 1) refuse(`/${each}`)
    const routes = troubles.seen.refusals.kinds.map(({ route }) => route)
    expect([routes[0], routes.includes('/999'), routes.includes('/1')]).toEqual([
      '/often',
      true,
      false,
    ])
  })
})
