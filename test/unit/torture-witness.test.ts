import { describe, expect, it } from 'vitest'
import { Holding } from '../torture/holding.ts'
import type { Outcome } from '../torture/http-client.ts'
import { flawsOfPage } from '../torture/judgements.ts'
import { textOf } from '../torture/texts.ts'
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

describe('what torture says of a list', () => {
  const holding = new Holding('texts', 3, 'ann')
  holding.keep({ textIds: ['a', 'b'] })
  holding.versions.set('b', [1])
  const list = (total_count: number, ...embeddings: ReturnType<typeof textOf>[]) =>
    flawsOfPage({ total_count, embeddings }, holding, { limit: 3, offset: 0 })
  const [a, b, old] = [textOf('a', 3), textOf('b', 3, 1), textOf('b', 3)]

  it('accepts what was acknowledged, and what may be', () => {
    expect(list(2, a, b)).toEqual([])
    holding.doubtful.add('c')
    expect(list(3, a, b, textOf('c', 3))).toEqual([])
    expect(list(2, a, b)).toEqual([])
    holding.doubtful.clear()
  })

  it('complains of one that is older', () => {
    expect(list(1, b).join()).toMatch(/1 texts, of which 2 are certain/)
    expect(list(2, b)).toEqual(['1 on a page of 2'])
    expect(list(3, a, b, textOf('c', 3)).join()).toMatch(/3 texts.*'c' is there/)
    expect(list(2, a, old)).toEqual(["'b' is of another version"])
  })
})
