import { type SQL, sql } from 'drizzle-orm'
import { embeddings } from '../db/schema.ts'
import type { Filter, Test } from './filter.ts'
import type { Comparison } from './operators.ts'
import { combinationOf, comparisonsOf, elementsOf, pathTo } from './path-predicate.ts'

/** Bytes × comparisons up to which a path predicate takes milliseconds and a few megabytes. */
const maxWork = 2 ** 18
/**
 * With so few comparisons, a path predicate takes at most some 40 MB, however large the metadata
 * are.
 */
const fewComparisons = 4

/** How tests compare the elements at a path; SQL has one way for each. */
type Kind = 'equal' | 'ordered' | 'prefix'

const kinds: Readonly<Record<Comparison, Kind>> = {
  in: 'equal',
  gt: 'ordered',
  gte: 'ordered',
  lt: 'ordered',
  lte: 'ordered',
  prefix: 'prefix',
}

/** Tests of one kind. Those of the same path share it. */
class Compared {
  readonly paths: { readonly p: number; readonly path: string }[] = []
  /** A value that the elements at path `p` are compared with, for test `t`. */
  readonly values: {
    readonly t: number
    readonly p: number
    readonly is: string
    /** In an array, because a JSON null must differ from a missing value. */
    readonly v: readonly unknown[]
  }[] = []

  add(test: Exclude<Test, { is: 'there' }>, t: number): void {
    const path = elementsOf(test)
    const p = this.paths.find((known) => known.path === path)?.p ?? this.paths.length
    if (p === this.paths.length) this.paths.push({ p, path })
    for (const value of test.values) this.values.push({ t, p, is: test.is, v: [value] })
  }
}

interface Tests {
  /** The conditions on fields, numbered, as JSON. */
  readonly list: string
  /** A path predicate on an object whose keys are the numbers of the conditions that hold. */
  readonly combination: string
  /** Bytes of metadata above which these tests replace the path predicate of the filter. */
  readonly aboveBytes: number
}

/** A form of a filter whose cost grows with metadata and filter, but not with their product. */
export function testsOf(filter: Filter): Tests {
  const compared = { equal: new Compared(), ordered: new Compared(), prefix: new Compared() }
  const there: { t: number; path: string }[] = []
  let count = 0
  const combination = combinationOf(filter, (test) => {
    const t = count
    count += 1
    if (test.is === 'there') there.push({ t, path: pathTo(test) })
    else compared[kinds[test.is]].add(test, t)
    return `exists($."${t}")`
  })
  const comparisons = comparisonsOf(filter)
  return {
    list: JSON.stringify({ ...compared, there }),
    combination,
    aboveBytes: comparisons <= fewComparisons ? 2 ** 30 : Math.floor(maxWork / comparisons),
  }
}

const { metadata } = embeddings

/** The size before compression. Metadata stored uncompressed need not be read for it. */
const size = sql`case when pg_column_compression(${metadata}) is null then pg_column_size(${metadata})
  else pg_column_size(${metadata} || '{}'::jsonb) end`

/** @param bytes the placeholder of `aboveBytes` */
export const isLarge = (bytes: unknown) => sql`coalesce(${size} > ${bytes}::int, false)`

/**
 * A path predicate keeps everything that it compares in memory until the row is done. These tests
 * go element by element.
 */
export function holdsForLarge(list: unknown, combination: unknown): SQL {
  const records = (kind: Kind, of: 'paths' | 'values') =>
    sql`jsonb_to_recordset(${list}::jsonb -> ${sql.raw(`'${kind}' -> '${of}'`)})`
  const elements = (kind: Kind) => sql`(select p, jsonb_path_query(${metadata}, path) as e
    from ${records(kind, 'paths')} as paths (p int, path jsonpath)) as elements`
  const values = (kind: Kind) => sql`(select t, p, "is", v -> 0 as v
    from ${records(kind, 'values')} as v (t int, p int, "is" text, v jsonb)) as sought`
  return sql`coalesce((select jsonb_object_agg(t, true) from (
    select t from ${elements('equal')} join ${values('equal')} using (p) where v = e
    union
    select t from (select p, ${extremes} from ${elements('ordered')} group by p) as elements
      join ${values('ordered')} using (p) where ${isInOrder}
    union
    select t from ${elements('prefix')} join ${values('prefix')} using (p)
      where jsonb_typeof(e) = 'string' and starts_with(e #>> '{}', v #>> '{}')
    union
    select t from jsonb_to_recordset(${list}::jsonb -> 'there') as there (t int, path jsonpath)
      where ${metadata} @? path
  ) as held), '{}'::jsonb) @@ ${combination}::jsonpath`
}

const number = sql`case when jsonb_typeof(e) = 'number' then e::numeric end`
const text = sql`case when jsonb_typeof(e) = 'string' then e #>> '{}' end collate "C"`

/** One matching element is enough, so only the greatest or the least is compared. */
const extremes = sql`max(${number}) as most_number, min(${number}) as least_number,
  max(${text}) as most_text, min(${text}) as least_text`

const isInOrder = sql`case jsonb_typeof(v) || ' ' || "is"
  when 'number gt' then most_number > (v #>> '{}')::numeric
  when 'number gte' then most_number >= (v #>> '{}')::numeric
  when 'number lt' then least_number < (v #>> '{}')::numeric
  when 'number lte' then least_number <= (v #>> '{}')::numeric
  when 'string gt' then most_text > (v #>> '{}')
  when 'string gte' then most_text >= (v #>> '{}')
  when 'string lt' then least_text < (v #>> '{}')
  when 'string lte' then least_text <= (v #>> '{}')
end`
