import { describe, expect, it } from 'vitest'
import type { Outcome } from '../torture/http-client.ts'
import { flawOfAnswer } from '../torture/witness.ts'

const outcome = (status: number, given: Partial<Outcome> = {}): Outcome => ({
  ...{ status, body: {}, reason: '', headers: {}, reused: false, startedAt: 0 },
  ...given,
})
const later = { headers: { 'retry-after': '1' } }
const brokenOff = { body: [{ stored: 0 }, { stored: 0, error: { status: 503 } }] }
const onceEach = { refusals: () => 1 }
const never = { refusals: (handle: string) => (handle === 'down' ? 9 : 0) }

describe('what torture says of an answer during a fault', () => {
  it.each([
    [outcome(200), 0, 'up', never],
    [outcome(404), 0, 'up', never],
    [outcome(503, later), 9, 'down', never],
    [outcome(503, later), 1, 'up', onceEach],
    [outcome(0), 0, 'up', { ...never, cuts: true }],
  ])('accepts what may be (%#)', (given, refusals, handle, allowed) => {
    expect(flawOfAnswer(given, refusals, handle, allowed)).toBe(undefined)
  })

  it.each([
    ['of a project that is up', outcome(503, later), 1, 'up', never, /503, 1 in a row/],
    ['that came twice', outcome(503, later), 2, 'up', onceEach, /503, 2 in a row/],
    ['that ends lines', outcome(200, brokenOff), 1, 'up', never, /503, 1 in a row/],
    ['without Retry-After', outcome(503), 1, 'down', never, /without Retry-After/],
    ['that did not come', outcome(0), 0, 'down', never, /no answer/],
  ])('complains of one %s', (_, given, refusals, handle, allowed, complaint) => {
    expect(flawOfAnswer(given, refusals, handle, allowed)).toMatch(complaint)
  })
})
