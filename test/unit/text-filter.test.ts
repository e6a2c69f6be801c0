import { PgDialect } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import { compileFilter } from '../../src/filters/condition.ts'
import { parseFilter } from '../../src/filters/parse.ts'

it('folds a text once, however many parts it is to have', () => {
  const has = (part: string) => ({ $text: { $contains: part } })
  const filter = parseFilter({
    book: 'Mark',
    text_id: { $gt: 'a' },
    $and: [has('a'), { $or: [has('b'), { $text: { $not: { $contains: 'c' } } }] }, has('d')],
    $or: [{ book: 1 }, has('e'), has('f')],
  })
  const { condition, values } = compileFilter(filter)
  const { sql } = new PgDialect().sqlToQuery(condition((name) => values[name]))
  // Once for the parts that all are to be there, and once for the others.
  expect(sql.match(/as folded/g)).toHaveLength(2)
  expect(sql.match(/strpos/g)).toHaveLength(6)
})
