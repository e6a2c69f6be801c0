import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { testApp } from '../support/app.ts'
import {
  collectionOf,
  indexNames,
  look,
  modeOf,
  projectOf,
  structured,
} from '../support/data/indexed.ts'
import { searchFrom } from '../support/data/similars.ts'

const dimensions = 240

it('an index of an older form serves until its successor does', async () => {
  const documents = structured(480, dimensions, 31)
  const project = await projectOf(documents)
  const collectionId = await collectionOf(project)
  const namesNow = async () =>
    (await indexNames()).filter((name) => name.includes(`_hnsw_${collectionId}_`))
  const successor = `embeddings_hnsw_${collectionId}_halfvec_l2_${dimensions}`
  expect(await namesNow()).toEqual([successor])
  // As they were before: by inner product.
  const { db } = (await testApp()).database.maintenance
  const older = `embeddings_hnsw_${collectionId}_halfvec_${dimensions}`
  const [row] = await db
    .select({
      text: sql<string>`pg_get_indexdef(oid)`,
      recall: sql<string>`obj_description(oid, 'pg_class')`,
    })
    .from(sql`pg_class`)
    .where(sql`relname = ${successor}`)
  const definition = row?.text ?? ''
  expect(definition).toContain('halfvec_l2_ops')
  await db.execute(sql`drop index if exists ${sql.identifier(successor)}`)
  await db.execute(
    sql.raw(definition.replace('halfvec_l2_ops', 'halfvec_ip_ops').replace(successor, older)),
  )
  // And measured.
  await db.execute(sql.raw(`comment on index ${older} is '${row?.recall}'`))
  await db.execute(
    sql`update collections set search_index = 'halfvec' where collection_id = ${collectionId}`,
  )
  const search = () => searchFrom(project, documents[0]?.text_id ?? '', { threshold: 0 })
  const before = await search()
  expect(modeOf(before)).toBe('approximate')
  expect(before.body.results).toHaveLength(10)
  for (let looks = 0; looks < 3; looks += 1) await look()
  expect(await namesNow()).toEqual([successor])
  const after = await search()
  expect(modeOf(after)).toBe('approximate')
  expect(after.body.results).toEqual(before.body.results)
})
