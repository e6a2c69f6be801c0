import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const folder = new URL('../../drizzle/', import.meta.url)

/** Those before it came with versions that needed all servers to be stopped. */
const first = '0006'

const made = /^create table "(\w+)"/i
const addsColumn = /^alter table "(\w+)" add column "(\w+)" (.*)$/i
const addsConstraint =
  /^alter table "(\w+)" add constraint "\w+" (foreign key \("(\w+)"\)|check \("\w+"\."(\w+)")/i
const addsIndex = /^create (unique )?index "\w+" on "(\w+)"/i

/** The statements that a server of the version before may not be able to work with, or would wait for long. */
function notAdditive(text: string): string[] {
  const statements = text.split(/--> statement-breakpoint|;\s*$/m).map((each) => each.trim())
  const tables = new Set<string | undefined>()
  const columns = new Set<string>()
  const isAdditive = (statement: string) => {
    if (made.test(statement)) return tables.add(made.exec(statement)?.[1])
    const [, table, column, kind = ''] = addsColumn.exec(statement) ?? []
    if (column !== undefined) {
      columns.add(`${table}.${column}`)
      return tables.has(table) || !/not null/i.test(kind) || /default/i.test(kind)
    }
    const [, of, , key, checked] = addsConstraint.exec(statement) ?? []
    if (of !== undefined) return tables.has(of) || columns.has(`${of}.${key ?? checked}`)
    return tables.has(addsIndex.exec(statement)?.[2] ?? 'none')
  }
  return statements.filter((statement) => statement !== '' && !isAdditive(statement))
}

const migrations = readdirSync(folder)
  .filter((name) => name.endsWith('.sql') && name >= first)
  .sort()

it.each(migrations)(
  '%s lets servers of the version before go on, or says that they must stop',
  (name) => {
    const text = readFileSync(new URL(name, folder), 'utf8')
    if (/^-- All servers must be stopped: /m.test(text)) return
    expect(notAdditive(text)).toEqual([])
  },
)

it('finds what is not additive', () => {
  const refused = [
    'ALTER TABLE "users" DROP COLUMN "name";',
    'ALTER TABLE "users" ADD COLUMN "age" bigint NOT NULL;',
    'ALTER TABLE "users" ADD CONSTRAINT "users_name" CHECK ("users"."name" <> \'\');',
    'ALTER TABLE "users" ALTER COLUMN "name" SET NOT NULL;',
    'CREATE INDEX "embeddings_text" ON "embeddings" ("text");',
    'UPDATE "users" SET "name" = NULL;',
  ]
  for (const statement of refused) expect(notAdditive(statement)).toHaveLength(1)
  expect(notAdditive(refused.join('--> statement-breakpoint\n'))).toHaveLength(refused.length)
})
