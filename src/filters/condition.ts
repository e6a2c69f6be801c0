import { type SQL, sql } from 'drizzle-orm'
import { embeddings } from '../db/schema.ts'
import { type Filter, holdsForNothing, isOfMetadata, isOfParts, type TextTest } from './filter.ts'
import { foldedInSql } from './folding.ts'
import { holdsForLarge, isLarge, testsOf } from './large-metadata.ts'
import { comparisons } from './operators.ts'
import { indexedPart, jsonPathOf } from './path-predicate.ts'
import { isToMicroseconds } from './times.ts'

/**
 * A filter as SQL with placeholders. Filters of the same form have the same text and differ in
 * values.
 */
export interface CompiledFilter {
  /** Equal for filters whose conditions have the same text. */
  readonly form: string
  readonly values: Readonly<Record<string, string>>
  /** @param given returns what to insert for the value of this name */
  readonly condition: (given: (name: string) => unknown) => SQL
  /**
   * A condition for the metadata index, which also holds whenever the filter does; undefined if the
   * index is of no use.
   */
  readonly indexed: CompiledFilter['condition'] | undefined
}

/** Null if the engine itself ends statements that take too long. */
const end = sql`(select statement_timestamp() + nullif(current_setting('semblance.filter_time', true), '')::interval)`

/**
 * Ends a statement with an error (SQLSTATE 2201E, which nothing else here causes) if the embedded
 * database has evaluated a filter for too long. It cannot cancel a statement, and others wait for
 * it.
 */
const isInTime = sql`(coalesce(clock_timestamp() < ${end}, true)
  or ln(-extract(epoch from clock_timestamp())) is null)`

/** A condition on `embeddings`, for a statement that is built for one request. */
export function filterCondition(filter: Filter): SQL {
  const { condition, values } = compileFilter(filter)
  return condition((name) => values[name])
}

/** Puts as many conditions on metadata as possible into one path predicate. */
export function compileFilter(filter: Filter): CompiledFilter {
  const values: Record<string, string> = {}
  const named = (value: string): string => {
    const name = `filter${Object.keys(values).length}`
    values[name] = value
    return name
  }
  const { form, condition } = compile(filter, named)
  const part = indexedPart(filter)
  const path = part && named(jsonPathOf(part))
  return {
    form: path === undefined ? form : `${form} indexed`,
    values,
    condition: (given) => sql`(${isInTime} and ${condition(given)})`,
    indexed: path === undefined ? undefined : pathHolds(path),
  }
}

type Part = Pick<CompiledFilter, 'form' | 'condition'>
type Named = (value: string) => string

/** @param isOfOne whether it is part of a filter of parts of texts, which share the folded text */
function compile(filter: Filter, named: Named, isOfOne = false): Part {
  if (isOfMetadata(filter)) return ofMetadata(filter, named)
  if (isOfParts(filter) && !isOfOne) return ofFoldedText(compile(filter, named, true))
  switch (filter.is) {
    case 'and':
    case 'or': {
      const filters = isOfOne ? filter.of : together(filter.is, filter.of)
      const parts = filters.map((each) => compile(each, named, isOfOne))
      return combined(filter.is, parts)
    }
    case 'not': {
      const { form, condition } = compile(filter.of, named, isOfOne)
      return {
        form: `not(${form})`,
        condition: (given) => sql`not coalesce(${condition(given)}, false)`,
      }
    }
    case 'there':
      return { form: 'text', condition: () => sql`${embeddings.text} is not null` }
    case 'contains':
      return contains(filter, named)
    default:
      return ofColumn(filter, named)
  }
}

/** Merges the filters of metadata into one, and those of parts of texts, which take longest. */
function together(is: 'and' | 'or', filters: readonly Filter[]): Filter[] {
  const merged = (isOfKind: (filter: Filter) => boolean): Filter[] => {
    const of = filters.filter(isOfKind)
    return of.length === 0 ? [] : [{ is, of }]
  }
  const others = filters.filter((filter) => !isOfMetadata(filter) && !isOfParts(filter))
  return [...merged(isOfMetadata), ...others, ...merged(isOfParts)]
}

function combined(is: 'and' | 'or', parts: readonly Part[]): Part {
  return {
    form: `${is}(${parts.map(({ form }) => form).join()})`,
    condition: (given) => {
      const conditions = parts.map(({ condition }) => sql`(${condition(given)})`)
      // In parentheses, because it stands beside the condition that names the project.
      return sql`(${sql.join(conditions, is === 'and' ? sql` and ` : sql` or `)})`
    },
  }
}

/** The value at a path of the metadata. `->` with a text key only enters objects, never arrays. */
export const metadataAt = (keys: readonly unknown[]): SQL =>
  sql.join([sql`${embeddings.metadata}`, ...keys.map((key) => sql`${key}::text`)], sql` -> `)

const pathHolds =
  (path: string): CompiledFilter['condition'] =>
  (given) =>
    sql`${embeddings.metadata} @@ ${given(path)}::jsonpath`

/** Large metadata are tested in another way, which takes longer to start. */
function ofMetadata(filter: Filter, named: Named): Part {
  const holds = pathHolds(named(jsonPathOf(filter)))
  const tests = testsOf(filter)
  const list = named(tests.list)
  const combination = named(tests.combination)
  const aboveBytes = named(`${tests.aboveBytes}`)
  const test = (given: (name: string) => unknown) =>
    sql`(case when ${isLarge(given(aboveBytes))} then ${holdsForLarge(given(list), given(combination))}
      else ${holds(given)} end)`
  if (!holdsForNothing(filter)) return { form: 'm', condition: test }
  return {
    form: 'm0',
    condition: (given) => sql`(${test(given)} or ${embeddings.metadata} is null)`,
  }
}

/** With an OFFSET, PostgreSQL folds the text once for a row, not for each condition. */
function ofFoldedText({ form, condition }: Part): Part {
  const text = sql`(select ${foldedInSql(sql`${embeddings.text}`)} as folded offset 0) as shown`
  return { form, condition: (given) => sql`(select ${condition(given)} from ${text})` }
}

function contains({ part }: TextTest, named: Named): Part {
  const name = named(part)
  return {
    form: 'text contains',
    // As a subquery of its own, PostgreSQL folds what is sought once and not for each row.
    condition: (given) =>
      sql`strpos(folded, (select ${foldedInSql(sql`part`)} from (select ${given(name)}::text as part) as sought)) > 0`,
  }
}

type Compared = Extract<Filter, { values: object }>

/** A condition on the text_id, compared by its bytes, or on the time of creation. */
function ofColumn({ is, values, field: { of } }: Compared, named: Named): Part {
  const isList = is === 'in'
  const value = isList ? JSON.stringify(values) : String(values[0])
  const isFine = of === 'created_at' && !isList && isToMicroseconds(value)
  const name = named(value)
  const { textId, createdAt } = embeddings
  const times = isFine ? [createdAt] : isList ? [shownTime, createdAt] : [shownTime]
  const columns = of === 'text_id' ? [textId] : times
  const type = sql.raw(of === 'text_id' ? 'text' : 'timestamptz')
  return {
    form: `${of} ${is}${isFine ? ' fine' : ''}`,
    condition: (given) => {
      const compared = isList
        ? sql`array(select jsonb_array_elements_text(${given(name)}::jsonb)::${type})`
        : sql`${given(name)}::${type}`
      const holds = columns.map((column) => comparisons[is].onColumn(column, compared))
      return sql`(${sql.join(holds, sql` or `)})`
    },
  }
}

/**
 * To the millisecond, as pages show times, so that a shown time can be searched for. Files show
 * microseconds.
 */
const shownTime = sql`date_trunc('milliseconds', ${embeddings.createdAt})`
