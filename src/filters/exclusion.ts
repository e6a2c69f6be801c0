import { not, type SQL, sql } from 'drizzle-orm'
import { type CompiledFilter, metadataAt } from './condition.ts'

/** Leaves out embeddings whose metadata have `value` at `path`. */
export interface Exclusion {
  readonly path: readonly string[]
  readonly value: string
}

/** What a filter keeps, if there is one, without what is excluded. */
export function excluding({ path, value }: Exclusion, filter?: CompiledFilter): CompiledFilter {
  const steps = Object.fromEntries(path.map((key, step) => [`step${step}`, key]))
  return {
    form: `${filter?.form ?? ''} without ${path.length}`,
    values: { ...filter?.values, ...steps, values: valuesWithText(value) },
    condition: (given) => {
      const isKept = not(hasValue(Object.keys(steps).map(given), given('values')))
      return filter === undefined ? isKept : sql`(${isKept} and ${filter.condition(given)})`
    },
    indexed: filter?.indexed,
  }
}

/**
 * Whether the scalar at a metadata path, or any element of an array there, is one of the values in
 * a JSON array. A missing field does not match. With `@>`, an array contains its elements and a
 * scalar contains itself.
 */
function hasValue(path: readonly unknown[], jsonArray: unknown): SQL {
  const values = sql`array(select jsonb_array_elements(${jsonArray}::jsonb))`
  return sql`coalesce((${metadataAt(path)}) @> any (${values}), false)`
}

const plainNumber = /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/

/** Accepts numbers as JSON prints them (1e-7) and as PostgreSQL prints them (0.0000001). */
const isNumber = (value: string) =>
  (plainNumber.test(value) && value !== '-0') ||
  (String(Number(value)) === value && Number.isFinite(Number(value)))

/**
 * The JSON values whose text is `value`, as a JSON array: a string, and possibly a number or a
 * boolean.
 */
function valuesWithText(value: string): string {
  const isLiteral = isNumber(value) || value === 'true' || value === 'false'
  return `[${JSON.stringify(value)}${isLiteral ? `,${value}` : ''}]`
}
