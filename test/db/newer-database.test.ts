import { sql } from 'drizzle-orm'
import { expect, it, onTestFinished } from 'vitest'
import { prepareDatabase } from '../../src/db/prepare.ts'
import { databaseFacts } from '../../src/db/schema.ts'
import { StartupError } from '../../src/errors.ts'
import { version } from '../../src/version.ts'
import { ownMigratedDatabase } from '../support/servers/own-database.ts'

const at = Date.UTC(2040, 0, 2, 3, 4)

it('a database that a newer version has migrated is refused, with both versions', async () => {
  const { database, drop } = await ownMigratedDatabase()
  onTestFinished(async () => {
    await database.close()
    await drop()
  })
  const { db } = database.short
  const prepare = () => prepareDatabase(database, async () => {})
  await prepare()
  const [fact] = await db.select().from(databaseFacts)
  expect(fact).toEqual({ name: 'migrated-by', value: version })
  await db.update(databaseFacts).set({ value: '7.8.9' })
  await db.execute(
    sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', ${at})`,
  )
  const refusal = prepare()
  await expect(refusal).rejects.toThrow(StartupError)
  await expect(refusal).rejects.toThrow(
    `by version 7.8.9 of Semblance, and this is version ${version}; start that version`,
  )
  await expect(refusal).rejects.toThrow(/^[^\n]*; start that version or a newer one, or restore/)

  // As when the other version was not published yet, or is from before versions were kept.
  await db.delete(databaseFacts)
  await expect(prepare()).rejects.toThrow('by a newer version of Semblance')
})
