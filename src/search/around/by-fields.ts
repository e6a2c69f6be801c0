import { and, not, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import type { Collection } from '../../access/project.ts'
import { inCollection } from '../../collections/keys.ts'
import type { Database, Db } from '../../db/database.ts'
import { embeddings } from '../../db/schema.ts'
import { compileFilter, filterCondition, metadataAt } from '../../filters/condition.ts'
import { everything, type Filter, type Scalar } from '../../filters/filter.ts'
import { isKeyOf, keysOf } from '../conditions.ts'
import { coveredByMetadataIndex, hasMetadataIndex } from '../index/catalog.ts'
import { storedAmong } from '../listed.ts'
import type { AroundLimits, FoundAround } from './around.ts'

/** Longer values, in characters of JSON, give a text no place. */
const maxValue = 1_000

/** A project with the fields of its reading order. */
interface Ordered extends Pick<Database, 'isDistributed'> {
  readonly collection: Collection
  readonly paths: readonly (readonly string[])[]
}

/** Finds the texts that are equal in all fields but the last, in the order of the last. */
export async function aroundByFields(
  db: Db,
  ordered: Ordered,
  textIds: readonly string[],
  limits: AroundLimits,
): Promise<FoundAround[]> {
  const places = await placesOf(db, ordered, textIds)
  return places.length === 0 ? [] : placedAmong(db, ordered, places, limits)
}

/** Puts all that stands together with the places in order, in one statement. */
export function placedAmong(
  db: Db,
  ordered: Ordered,
  places: readonly Place[],
  { before, after }: AroundLimits,
): Promise<FoundAround[]> {
  const members = membersOf(db, ordered, places).as('members')
  const list = (side: SQL) => sql<string>`coalesce(array_to_json(${side}), '[]')::text`
  return db
    .select({ id: sql<string>`id`, before: list(sql`before`), after: list(sql`after`) })
    .from(sql`(select id,
        array_agg(id) over (reading rows between ${before}::int preceding and 1 preceding) as before,
        array_agg(id) over (reading rows between 1 following and ${after}::int following) as after
      from ${members}
      window reading as (partition by lead collate "C", jsonb_typeof(last)
        order by case jsonb_typeof(last) when 'number' then last::numeric end,
          last #>> '{}' collate "C", id)) as placed`)
    .where(isKeyOf(keysOf(places.map(({ id }) => id)), sql`id`))
}

interface Place {
  readonly id: string
  /** The values of all fields but the last, as the database prints their array. */
  readonly lead: string
}

const leadOf = (values: readonly SQL[]) =>
  sql<string>`jsonb_build_array(${sql.join([...values], sql`, `)})::text`

/** Reads the values of the texts by their keys. Texts without one of them have no place. */
async function placesOf(
  db: Db,
  { collection, paths }: Ordered,
  textIds: readonly string[],
): Promise<Place[]> {
  const values = paths.map(metadataAt)
  const fits = values.map(
    (value, at) =>
      sql`jsonb_typeof(${value}) in ('string', 'number'${
        at < paths.length - 1 ? sql`, 'boolean'` : sql``
      }) and length((${value})::text) <= ${maxValue}::int`,
  )
  const condition = and(inCollection(collection.collectionId), ...fits)
  const { listed, stored } = storedAmong(
    db,
    JSON.stringify(textIds),
    leadOf(values.slice(0, -1)),
    condition,
  )
  return db
    .select({ id: stored.id, lead: stored.value })
    .from(listed)
    .innerJoinLateral(stored, sql`true`)
}

/** All texts that stand together with one of these: by the metadata index if there is one. */
function membersOf(
  db: Db,
  { collection, paths, isDistributed }: Ordered,
  places: readonly Place[],
) {
  const { collectionId, dimensions } = collection
  const leads = [...new Set(places.map(({ lead }) => lead))]
  const leading = paths.slice(0, -1)
  const lead = leadOf(leading.map(metadataAt))
  const last = metadataAt(paths.at(-1) ?? [])
  const scan = (where: SQL | undefined) =>
    db
      .select({ id: sql`text_id`.as('id'), lead: lead.as('lead'), last: last.as('last') })
      .from(embeddings)
      .where(
        and(
          where,
          filterCondition(everything),
          isKeyOf(keysOf(leads), lead),
          sql`jsonb_typeof(${last}) in ('number', 'string')`,
        ),
      )
  const { indexed, values } = compileFilter({
    is: 'or',
    of: leads.map((each) => together(leading, each)),
  })
  const inProject = inCollection(collectionId)
  if (indexed === undefined || isDistributed || dimensions === null) return scan(inProject)
  const form = { collectionId, dimensions }
  const isThere = hasMetadataIndex(db, form)
  const covered = and(
    isThere,
    coveredByMetadataIndex(form),
    indexed((name) => values[name]),
  )
  return unionAll(scan(covered), scan(and(not(isThere), inProject)))
}

/** Holds for all texts with these values, and for some others. */
function together(paths: readonly (readonly string[])[], lead: string): Filter {
  const values: Scalar[] = JSON.parse(lead)
  return {
    is: 'and',
    of: values.map((value, at) => ({
      is: 'in',
      field: { of: 'metadata', path: paths[at] ?? [] },
      values: [value],
    })),
  }
}
