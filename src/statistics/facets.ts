import { and, type SQL, sql } from 'drizzle-orm'
import type { Collection } from '../access/project.ts'
import { inCollection } from '../collections/keys.ts'
import type { Db } from '../db/database.ts'
import { allVisible } from '../db/distributed.ts'
import { embeddings } from '../db/schema.ts'
import { filterCondition, metadataAt } from '../filters/condition.ts'
import { everything, type Filter } from '../filters/filter.ts'
import { printPath } from '../filters/metadata-path.ts'
import { type FieldValue, fieldSummary, type JsonType, maxShownValue } from './field-statistics.ts'

const maxValues = 1_000

/** Fields whose values are counted, in all embeddings that the filter keeps. */
export interface ChosenFields {
  readonly paths: readonly (readonly string[])[]
  readonly filter: Filter | undefined
}

/** Counts all values by one statement, which looks once at every embedding. */
export async function countFacets(
  db: Db,
  { collectionId, vectors }: Collection,
  facets: ChosenFields,
) {
  await allVisible(db, collectionId)
  const rows = await db
    .select({
      kept: sql`kept`.mapWith(Number),
      types: sql<string>`types::text`,
      values: sql<string>`values::text`,
      hasMore: sql<boolean>`has_more`,
    })
    .from(sql`(${countedFields(collectionId, facets)}) as counted_fields`)
    .orderBy(sql`field`)
  const fields = facets.paths.map((path, at) => {
    const { kept = 0, types = '{}', values = '[]', hasMore = false } = rows[at] ?? {}
    const byType: Partial<Record<JsonType, number>> = JSON.parse(types)
    const listed: { value: FieldValue; count: number }[] = JSON.parse(values)
    const documents = Object.values(byType).reduce((sum, count) => sum + count, 0)
    const counts = { types: byType, values: listed, hasMoreValues: hasMore }
    return fieldSummary({ path: printPath(path), documents, ...counts }, kept, maxValues)
  })
  const documents = rows[0]?.kept ?? 0
  return { total_count: vectors, documents, sampled: false, fields, more_fields: false }
}

/** Of strings, the short ones. Numbers of any size are listed. */
const shortOf = (value: SQL) =>
  sql`case when jsonb_typeof(${value}) <> 'string' or length(${value} #>> '{}') <= ${maxShownValue}::int then ${value} end`
const isListed = (value: SQL) => sql`jsonb_typeof(${value}) in ('string', 'number', 'boolean')`

/**
 * A row for each field. Each embedding counts once by the type of what it has there, with its value
 * unless that is too long, and once for each element of an array, even if it is there twice.
 */
function countedFields(collectionId: number, { paths, filter = everything }: ChosenFields) {
  const fields = sql.join(
    paths.map((path, at) => sql`(${at}::int, ${metadataAt(path)})`),
    sql`, `,
  )
  const [found, each] = [sql`found`, sql`each`]
  return sql`with counted as materialized (
      select field, type, value, count(*) as documents
      from ${embeddings}
      cross join lateral (values ${fields}) as fields (field, found)
      cross join lateral (
        select jsonb_typeof(found) as type, case when ${isListed(found)} then ${shortOf(found)} end as value
        union all
        select distinct 'element', ${shortOf(each)}
        from jsonb_array_elements(case jsonb_typeof(found) when 'array' then found end) as each
        where jsonb_typeof(found) = 'array' and ${isListed(each)}
      ) as parts
      where ${and(inCollection(collectionId), filterCondition(filter))}
      group by field, type, value
    ), typed as (
      select field, sum(documents) as kept,
        coalesce(jsonb_object_agg(type, documents) filter (where type is not null), '{}') as types
      from (select field, type, sum(documents) as documents
        from counted where type is distinct from 'element' group by field, type) as by_type
      group by field
    )
    select field, kept, types, most.values, exists(select from counted as long where long.field = typed.field
        and value is null and type in ('string', 'element')) as has_more
    from typed
    cross join lateral (select coalesce(json_agg(most), '[]') as values
      from (select value, sum(documents) as count from counted as listed
        where listed.field = typed.field and value is not null
        group by value
        order by count desc, value::text collate "C" limit ${maxValues + 1}::int) as most) as most`
}
