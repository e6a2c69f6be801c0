import { describe, expect, it } from 'vitest'
import { guessedMapping, type Mapping, mapColumn } from '../../web/upload/mapping.ts'

const guessed = (values: object, dimensions = 2) =>
  guessedMapping([new Map(Object.entries(values))], dimensions)
const rolesOf = (mapping: Mapping) =>
  Object.fromEntries(mapping.map(({ name, role }) => [name, role]))

describe('a mapping', () => {
  it.each([
    { values: { ID: 1, Title: 'a', Body: 'b', Year: 3 }, roles: { ID: 'text_id', Body: 'text' } },
    {
      values: { id: 1, 'Text ID': 1, title: 'a' },
      roles: { 'Text ID': 'text_id', title: 'text' },
    },
    {
      values: { _id: 1, document: 'a', embedding: '[1' },
      roles: { _id: 'text_id', document: 'text', embedding: 'vector' },
    },
    {
      values: { id: 1, values: [1, 2], content: 'a' },
      roles: { id: 'text_id', values: 'vector', content: 'text' },
    },
    {
      values: { id: 1, values: 'old', content: 'a' },
      roles: { id: 'text_id', content: 'text' },
    },
    { values: { id: 1, metadata: '{"a":1}' }, roles: { id: 'text_id', metadata: 'object' } },
    { values: { id: 1, metadata: 'none' }, roles: { id: 'text_id' } },
    {
      values: { 'column 1': '0', id: 1, 'Unnamed: 0': 3 },
      roles: { 'column 1': 'none', id: 'text_id', 'Unnamed: 0': 'none' },
    },
    {
      values: { text_id: 'a', created_at: 'b', user_handle: 'c' },
      roles: { text_id: 'text_id', created_at: 'none', user_handle: 'none' },
    },
  ])('is guessed from $values', ({ values, roles }) => {
    const rest = Object.keys(values).map((name) => [name, 'metadata'])
    expect(rolesOf(guessed(values))).toEqual({ ...Object.fromEntries(rest), ...roles })
  })

  it('is guessed from what is in the columns where their names say nothing', () => {
    const row = (at: number) => ({
      Nr: `${at}`,
      Überschrift: `Über den Winter ${at}`,
      Inhalt: `Es war einmal ein langer, kalter Winter, der ${at} Monate dauerte.`,
      Jahr: `${1900 + at}`,
      Preis: `${at}.5`,
    })
    const guess = (rows: readonly object[]) =>
      rolesOf(
        guessedMapping(
          rows.map((values) => new Map(Object.entries(values))),
          2,
        ),
      )
    const rows = Array.from({ length: 12 }, (_, at) => row(at))
    const rest = { Überschrift: 'metadata', Jahr: 'metadata', Preis: 'metadata' }
    expect(guess(rows)).toEqual({ ...rest, Nr: 'text_id', Inhalt: 'text' })
    // Of the first column, two values are enough.
    expect(guess(rows.slice(0, 2))).toMatchObject({ Nr: 'text_id' })
    const swapped = rows.map(({ Nr, ...others }) => ({ ...others, Nr }))
    expect(guess(swapped.slice(0, 2))).toMatchObject({ Jahr: 'metadata', Nr: 'metadata' })
    expect(guess(rows.map((each) => ({ ...each, Nr: '1' })))).toMatchObject({ Nr: 'metadata' })
    expect(guess(rows.map(({ Inhalt: title }) => ({ title, Name: 'a b' })))).toEqual({
      ...{ title: 'text', Name: 'metadata' },
    })
  })

  it('has numbered columns for a vector if they are as many as its numbers, or very many', () => {
    const names = ['id', 'v10', 'v2', 'v1', 'year1', 'year2']
    const values = Object.fromEntries(names.map((name) => [name, '1']))
    const [, ...others] = guessed(values, 3)
    expect(others.map(({ columns, role }) => [columns.join(), role])).toEqual([
      ['year1', 'metadata'],
      ['year2', 'metadata'],
      ['v1,v2,v10', 'vector'],
    ])
    expect(guessed({ vector: '[1]', ...values }, 3).at(-1)?.role).toBe('none')
    expect(guessed(values, 384)).toHaveLength(6)
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`v${at}`, 1]))
    expect(guessed(many, 384)).toMatchObject([{ name: 'v0 … v19', role: 'vector' }])
  })

  it('has one column for each purpose, and metadata for any number', () => {
    const mapping = guessed({ id: 1, title: 'a', body: 'b' })
    expect(rolesOf(mapColumn(mapping, 'title', 'text'))).toEqual({
      ...{ id: 'text_id', title: 'text', body: 'metadata' },
    })
    expect(rolesOf(mapColumn(mapping, 'body', 'none'))).toMatchObject({ title: 'metadata' })
  })
})
