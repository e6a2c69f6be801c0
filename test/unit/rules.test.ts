import { describe, expect, it } from 'vitest'
import { decide, lackOf, type Relation, type Scope } from '../../src/access/rules.ts'

// Who may do what is tested through the API (api/authorization.test.ts); here only how the table is read.
const verdict = (relations: Relation[], { authenticated = true, exists = true } = {}) =>
  decide('project:write', {
    scope: 'everything',
    authenticated,
    exists,
    relations: new Set(relations),
  })

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

describe('the scope of a key', () => {
  const ofOwner = (scope: Scope, exists: boolean) =>
    decide('project:write', { scope, authenticated: true, exists, relations: new Set(['owner']) })

  it.each([true, false])('bounds what its user may, whether the thing exists (%s)', (exists) => {
    expect(ofOwner('read', exists)).toBe('forbidden')
    expect(ofOwner('read in projects', exists)).toBe('forbidden')
    expect(ofOwner('write in projects', exists)).toBe(exists ? 'allowed' : 'not-found')
  })

  it('never widens it', () => {
    const relations = new Set<Relation>(['reader'])
    expect(
      decide('project:write', { scope: 'write', authenticated: true, exists: true, relations }),
    ).toBe('forbidden')
  })

  it('is said to lack what it lacks', () => {
    expect(lackOf('project:write', 'read')).toBe('it needs a key that may write')
    expect(lackOf('project:manage', 'read in projects')).toBe(
      'it needs a key that may write and is not limited to projects',
    )
    expect(lackOf('instances:list', 'write in projects')).toBe(
      'it needs a key that is not limited to projects',
    )
    expect(lackOf('keys:manage', 'write')).toBe("it needs the user's first key")
    expect(lackOf('users:list', 'write')).toBeUndefined()
    expect(lackOf('project:write', 'everything')).toBeUndefined()
  })
})
