import { type SQL, sql } from 'drizzle-orm'
import { embeddings } from '../db/schema.ts'
import { type Filter, holdsForNothing, isOfMetadata } from './filter.ts'
import { indexedPart } from './indexed-part.ts'
import { jsonPathOf } from './json-path.ts'
import { holdsForLarge, isLarge, testsOf } from './large-metadata.ts'
import { isToMicroseconds } from './operators.ts'
import { isInTime } from './time-limit.ts'

/** A filter as SQL with placeholders: filters of one form have one text, and differ in its values. */
export interface CompiledFilter {
  /** Equal for filters whose conditions have the same text. */
  readonly form: string
  readonly values: Readonly<Record<string, string>>
  /** @param given what stands for the value of this name */
  readonly condition: (given: (name: string) => unknown) => SQL
  /** What an index on metadata finds, beside the condition itself; undefined where it finds nothing. */
  readonly indexed: CompiledFilter['condition'] | undefined
}

/** A condition on `embeddings`, for a statement that is built for one request. */
export function filterCondition(filter: Filter): SQL {
  const { condition, values } = compileFilter(filter)
  return condition((name) => values[name])
}

/** Conditions on metadata become one path predicate each, as large as they can be. */
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

function compile(filter: Filter, named: Named): Part {
  if (isOfMetadata(filter)) return ofMetadata(filter, named)
  switch (filter.is) {
    case 'and':
    case 'or':
      return combined(filter.is, together(filter.is, filter.of), named)
    case 'not': {
      const { form, condition } = compile(filter.of, named)
      return {
        form: `not(${form})`,
        condition: (given) => sql`not coalesce(${condition(given)}, false)`,
      }
    }
    case 'there':
      throw new Error('only metadata can be missing')
    default:
      return filter.field.of === 'text_id' ? ofTextId(filter, named) : ofTime(filter, named)
  }
}

/** Those of metadata become one. */
function together(is: 'and' | 'or', filters: readonly Filter[]): Filter[] {
  const ofMetadata = filters.filter(isOfMetadata)
  const others = filters.filter((filter) => !isOfMetadata(filter))
  return ofMetadata.length === 0 ? others : [{ is, of: ofMetadata }, ...others]
}

function combined(is: 'and' | 'or', filters: readonly Filter[], named: Named): Part {
  const parts = filters.map((filter) => compile(filter, named))
  return {
    form: `${is}(${parts.map(({ form }) => form).join()})`,
    condition: (given) => {
      const conditions = parts.map(({ condition }) => sql`(${condition(given)})`)
      // In parentheses: it stands beside the condition that says of which project.
      return sql`(${sql.join(conditions, is === 'and' ? sql` and ` : sql` or `)})`
    },
  }
}

/** What is at a path of the metadata. `->` with a text key walks objects only, never arrays. */
export const metadataAt = (keys: readonly unknown[]): SQL =>
  sql.join([sql`${embeddings.metadata}`, ...keys.map((key) => sql`${key}::text`)], sql` -> `)

const pathHolds =
  (path: string): CompiledFilter['condition'] =>
  (given) =>
    sql`${embeddings.metadata} @@ ${given(path)}::jsonpath`

/** Of large metadata in another way, which takes longer to begin. */
function ofMetadata(filter: Filter, named: Named): Part {
  const holds = pathHolds(named(jsonPathOf(filter)))
  const tests = testsOf(filter)
  const [list, combination] = [named(tests.list), named(tests.combination)]
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

type Compared = Extract<Filter, { values: object }>

const symbols = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` }

/** Texts are compared by their bytes, as the column is. */
function ofTextId({ is, values }: Compared, named: Named): Part {
  if (is === 'in') {
    const list = named(JSON.stringify(values))
    return {
      form: 'id in',
      condition: (given) =>
        sql`${embeddings.textId} = any (array(select jsonb_array_elements_text(${given(list)}::jsonb)))`,
    }
  }
  const value = named(String(values[0]))
  if (is === 'prefix') {
    return {
      form: 'id prefix',
      condition: (given) =>
        sql`(${embeddings.textId} >= ${given(value)}::text and starts_with(${embeddings.textId}, ${given(value)}::text))`,
    }
  }
  return {
    form: `id ${is}`,
    condition: (given) => sql`${embeddings.textId} ${symbols[is]} ${given(value)}::text`,
  }
}

/** To the millisecond, as pages show times: what is shown can be asked for. Files show the microseconds. */
const shownTime = sql`date_trunc('milliseconds', ${embeddings.createdAt})`

function ofTime({ is, values }: Compared, named: Named): Part {
  if (is === 'in') {
    const list = named(JSON.stringify(values))
    return {
      form: 'time in',
      condition: (given) => {
        const times = sql`array(select jsonb_array_elements_text(${given(list)}::jsonb)::timestamptz)`
        return sql`(${shownTime} = any (${times}) or ${embeddings.createdAt} = any (${times}))`
      },
    }
  }
  if (is === 'prefix') throw new Error('a time has no prefix')
  const time = String(values[0])
  const isFine = isToMicroseconds(time)
  const value = named(time)
  const compared = isFine ? embeddings.createdAt : shownTime
  return {
    form: `${isFine ? 'fine ' : ''}time ${is}`,
    condition: (given) => sql`${compared} ${symbols[is]} ${given(value)}::timestamptz`,
  }
}
