import { describe, expect, it } from 'vitest'
import { type Situation, type Strategy, strategiesFor } from '../../src/search/search.ts'

const usual: Situation = {
  exact: false,
  isFiltered: false,
  inMemory: false,
  index: 'none',
  canScan: true,
}

const table: [string, Partial<Situation>, Strategy[]][] = [
  ['a small project', {}, ['database-exact']],
  ['one in memory', { inMemory: true }, ['memory', 'database-exact']],
  ['one in memory, exact', { inMemory: true, exact: true }, ['memory-exact', 'database-exact']],
  ['one with an index, exact', { index: 'reaches', exact: true }, ['database-exact']],
  ['one with an index', { index: 'reaches' }, ['index']],
  ['one with both', { index: 'reaches', inMemory: true }, ['memory', 'index']],
  ['one with an index, filtered', { index: 'reaches', isFiltered: true }, ['matches', 'index']],
  [
    'one with both, filtered',
    { index: 'reaches', inMemory: true, isFiltered: true },
    ['memory', 'matches', 'index'],
  ],
  ['one without an index, filtered', { isFiltered: true }, ['database-exact']],
  ['one with a poor index', { index: 'falls short' }, ['database-exact']],
  ['a huge one with a poor index', { index: 'falls short', canScan: false }, ['index']],
  ['a huge one, filtered', { index: 'reaches', isFiltered: true, canScan: false }, ['index']],
  ['a huge one without an index', { canScan: false }, ['database-exact']],
]

describe('the plan of a search', () => {
  it.each(table)('%s', (_, situation, strategies) => {
    expect(strategiesFor({ ...usual, ...situation })).toEqual(strategies)
  })
})
