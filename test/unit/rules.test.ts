import { describe, expect, it } from 'vitest'
import { decide, type Relation } from '../../src/access/rules.ts'

// Who may do what is tested through the API (api/authorization.test.ts); here only how the table is read.
const verdict = (relations: Relation[], { authenticated = true, exists = true } = {}) =>
  decide('project:write', { authenticated, exists, relations: new Set(relations) })

describe('a permission', () => {
  it('is given by any one relation of the table', () => {
    expect(verdict(['editor'])).toBe('allowed')
    expect(verdict(['reader', 'editor', 'namespaceMember'])).toBe('allowed')
  })

  it('is not given by other relations', () => {
    expect(verdict(['reader', 'namespaceMember', 'public'])).toBe('forbidden')
  })

  it.each([
    true,
    false,
  ])('is refused to a stranger alike, whether the thing exists (%s)', (exists) => {
    expect(verdict([], { exists })).toBe('forbidden')
  })

  it.each([true, false])('needs a key alike, whether the thing exists (%s)', (exists) => {
    expect(verdict([], { authenticated: false, exists })).toBe('unauthorized')
    expect(verdict(['public'], { authenticated: false, exists })).toBe('unauthorized')
  })

  it.each<Relation>([
    'editor',
    'namespaceMember',
  ])('tells a %s that the thing is missing', (relation) => {
    expect(verdict([relation], { exists: false })).toBe('not-found')
  })
})
