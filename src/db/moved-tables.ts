import { is, sql } from 'drizzle-orm'
import { getTableConfig, type PgColumn, PgTable } from 'drizzle-orm/pg-core'
import * as keySchema from './key-schema.ts'
import * as mapSchema from './map-schema.ts'
import * as schema from './schema.ts'
import * as usageSchema from './usage-schema.ts'

/** The tables about one database alone: the proof of its key, and what has migrated it. */
export const unmovedTables: readonly PgTable[] = [schema.databaseFacts]

const declared: readonly unknown[] = Object.values({
  ...{ ...schema, ...keySchema, ...mapSchema, ...usageSchema },
})

/** All other tables, each after those that its foreign keys name. */
export const movedTables: readonly PgTable[] = inOrder(
  declared.filter((each) => is(each, PgTable)).filter((table) => !unmovedTables.includes(table)),
)

function inOrder(tables: readonly PgTable[]): PgTable[] {
  const ordered = new Set<PgTable>()
  const add = (table: PgTable): void => {
    for (const { reference } of getTableConfig(table).foreignKeys) add(reference().foreignTable)
    ordered.add(table)
  }
  tables.forEach(add)
  return [...ordered]
}

const quoted = ({ name }: PgColumn) => `"${name}"`
const listOf = (columns: readonly PgColumn[]) => columns.map(quoted).join(', ')

/** A row's size without reading values stored apart. Compressed JSON is several times smaller. */
function bytesOf(column: PgColumn): string {
  const type = column.getSQLType()
  const size = /^(text|bytea)/.test(type) ? 'octet_length' : 'pg_column_size'
  return `coalesce(${size}(${quoted(column)}), 0)${type === 'jsonb' ? ' * 8' : ''}`
}

/** The parts of statements about a table. */
export function partsOf(table: PgTable) {
  const { name, columns, primaryKeys } = getTableConfig(table)
  const stored = columns.filter(({ generated }) => generated === undefined)
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
  return {
    name: `"${name}"`,
    columns: listOf(stored),
    key: listOf(key),
    keyText: key.map((column) => `quote_literal(${quoted(column)})`).join(` || ', ' || `),
    bytes: stored.map(bytesOf).join(' + '),
    /** The sequences that give it ids. */
    sequences: columns
      .filter(({ generatedIdentity }) => generatedIdentity !== undefined)
      .map((column) => sql`pg_get_serial_sequence(${name}, ${column.name})::regclass`),
  }
}
