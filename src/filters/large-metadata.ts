import { type SQL, sql } from 'drizzle-orm'
import { embeddings } from '../db/schema.ts'
import type { Filter, Test } from './filter.ts'
import { type ComparisonRule, comparisons } from './operators.ts'
import { combinationOf, comparisonsOf, elementsOf, pathTo } from './path-predicate.ts'

/** Bytes × comparisons up to which a path predicate takes milliseconds and a few megabytes. */
const maxWork = 2 ** 18
/**
 * With so few comparisons, a path predicate takes at most some 40 MB, however large the metadata
 * are.
 */
const fewComparisons = 4

/** A path to read, with its number. Tests of the same kind and path share it. */
interface Path {
  readonly p: number
  readonly path: string
}

/** A value that the elements at path `p` are compared with, for test `t`. */
interface Value {
  readonly t: number
  readonly p: number
  readonly is: string
  /** In an array, because a JSON null must differ from a missing value. */
  readonly v: readonly unknown[]
}

class Compared {
  readonly paths: Path[] = []
  readonly values: Value[] = []

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
  const [among, ordered, pairs] = [new Compared(), new Compared(), new Compared()]
  const kinds = { equal: among, most: ordered, least: ordered }
  const there: { t: number; path: string }[] = []
  let count = 0
  const combination = combinationOf(filter, (test) => {
    const t = count
    count += 1
    if (test.is === 'there') there.push({ t, path: pathTo(test) })
    else {
      const { onLarge } = comparisons[test.is]
      const kind = typeof onLarge === 'function' ? pairs : kinds[onLarge]
      kind.add(test, t)
    }
    return `exists($."${t}")`
  })
  return {
    list: JSON.stringify({ among, ordered, pairs, there }),
    combination,
    aboveBytes: maxBytesFor(comparisonsOf(filter)),
  }
}

const maxBytesFor = (comparisons: number) =>
  comparisons <= fewComparisons ? 2 ** 30 : Math.floor(maxWork / comparisons)

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
  const part = (kind: string, of: string) =>
    sql`jsonb_to_recordset(${list}::jsonb -> ${sql.raw(`'${kind}' -> '${of}'`)})`
  const elements = (kind: string) =>
    sql`(select p, jsonb_path_query(${metadata}, path) as e
      from ${part(kind, 'paths')} as paths (p int, path jsonpath)) as elements`
  const values = (kind: string) =>
    sql`(select t, p, "is", v -> 0 as v from ${part(kind, 'values')} as v (t int, p int, "is" text, v jsonb)) as sought`
  return sql`coalesce((select jsonb_object_agg(t, true) from (
    select sought.t from ${elements('among')}
      join ${values('among')} on sought.p = elements.p and sought.v = elements.e
    union
    select sought.t from (
      select p, ${extremes} from ${elements('ordered')} group by p
    ) as elements join ${values('ordered')} on sought.p = elements.p and (${isInOrder})
    union
    select sought.t from ${elements('pairs')}
      join ${values('pairs')} on sought.p = elements.p and ${isPair}
    union
    select t from jsonb_to_recordset(${list}::jsonb -> 'there') as there (t int, path jsonpath)
      where ${metadata} @? path
  ) as held), '{}'::jsonb) @@ ${combination}::jsonpath`
}

const number = sql`case when jsonb_typeof(e) = 'number' then e::numeric end`
const text = sql`case when jsonb_typeof(e) = 'string' then e #>> '{}' end collate "C"`
const extremes = sql`max(${number}) as most_number, min(${number}) as least_number,
  max(${text}) as most_text, min(${text}) as least_text`

/**
 * The condition for the comparison that `sought` names, among those for which `holds` defines one.
 */
const byName = (holds: (rule: ComparisonRule) => SQL | undefined) => {
  const cases = Object.entries(comparisons).map(([is, rule]) => {
    const condition = holds(rule)
    return condition && sql`when ${sql.raw(`'${is}'`)} then ${condition} `
  })
  return sql`case sought."is" ${sql.join(cases)}end`
}

/** One matching element is enough, so only the greatest or the least is compared. */
const isInOrder = sql.join(
  (['number', 'text'] as const).map((type) => {
    const isOfType = sql.raw(`jsonb_typeof(sought.v) = '${type === 'text' ? 'string' : type}'`)
    const value = type === 'text' ? sql`(sought.v #>> '{}')` : sql`(sought.v #>> '{}')::numeric`
    const fits = byName(({ onLarge, onColumn }) =>
      onLarge === 'most' || onLarge === 'least'
        ? onColumn(sql.raw(`${onLarge}_${type}`), value)
        : undefined,
    )
    return sql`(case when ${isOfType} then ${fits} end)`
  }),
  sql` or `,
)

const isPair = byName(({ onLarge }) =>
  typeof onLarge === 'function' ? onLarge(sql`elements.e`, sql`sought.v`) : undefined,
)
