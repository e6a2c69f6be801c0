import { describe, expect, it } from 'vitest'
import { type Action, decide, type Relation, type Verdict } from '../../src/access/rules.ts'

const allowed: Record<Action, Relation[]> = {
  'users:list': ['admin'],
  'users:write': ['admin'],
  'user:read': ['admin', 'owner'],
  'user:change': ['admin', 'owner'],
  'standards:write': ['admin'],
  'definitions:read': ['admin', 'owner', 'authenticated'],
  'definitions:write': ['admin', 'owner'],
  'instances:list': ['admin', 'owner', 'authenticated'],
  'instances:write': ['admin', 'owner'],
  'instance:read': ['admin', 'owner', 'editor', 'reader'],
  'instance:manage': ['admin', 'owner'],
  'instance:unshare': ['admin', 'owner', 'subject'],
  'projects:list': ['admin', 'owner', 'neighbour'],
  'projects:write': ['admin', 'owner'],
  'project:read': ['admin', 'owner', 'editor', 'reader', 'public'],
  'project:write': ['admin', 'owner', 'editor'],
  'project:manage': ['admin', 'owner'],
  'project:unshare': ['admin', 'owner', 'subject'],
}

const relations: Relation[] = [
  'admin',
  'owner',
  'editor',
  'reader',
  'neighbour',
  'subject',
  'authenticated',
  'public',
]

const isAction = (name: string): name is Action => name in allowed
const actions = Object.keys(allowed).filter(isAction)

function verdict(
  action: Action,
  relation: Relation | undefined,
  { authenticated = true, exists = true } = {},
): Verdict {
  const standing = new Set(relation === undefined ? [] : [relation])
  return decide(action, { authenticated, exists, relations: standing })
}

describe.each(actions)('%s', (action) => {
  it('is allowed to those of the table alone', () => {
    const found = relations.filter((relation) => verdict(action, relation) === 'allowed')
    expect(found).toEqual(relations.filter((relation) => allowed[action].includes(relation)))
  })

  it('is forbidden to a stranger, whether the thing exists or not', () => {
    expect(verdict(action, undefined)).toBe('forbidden')
    expect(verdict(action, undefined, { exists: false })).toBe('forbidden')
  })

  it('needs a key, whether the thing exists or not', () => {
    for (const exists of [true, false]) {
      expect(verdict(action, undefined, { authenticated: false, exists })).toBe('unauthorized')
    }
  })

  it('tells those who belong there that the thing does not exist', () => {
    for (const relation of [...allowed[action], 'neighbour' as const]) {
      expect(verdict(action, relation, { exists: false })).toBe('not-found')
    }
  })
})

it('reading a public project needs no key', () => {
  expect(verdict('project:read', 'public', { authenticated: false })).toBe('allowed')
  expect(verdict('project:write', 'public', { authenticated: false })).toBe('unauthorized')
  expect(verdict('project:manage', 'public')).toBe('forbidden')
})

it('the best of several relations counts', () => {
  const standing = { authenticated: true, exists: true }
  const both = new Set<Relation>(['reader', 'editor'])
  expect(decide('project:write', { ...standing, relations: both })).toBe('allowed')
})
