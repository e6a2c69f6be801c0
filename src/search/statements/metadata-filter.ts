import { type SQL, sql } from 'drizzle-orm'
import { metadataAt } from '../../filters/condition.ts'

/** Leaves out documents whose metadata has `value` at `path`. */
export interface Exclusion {
  readonly path: readonly string[]
  readonly value: string
}

/** The names of the placeholders for the steps of a path. */
export const pathNames = (depth: number): string[] =>
  Array.from({ length: depth }, (_, step) => `step${step}`)

const plainNumber = /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/

/** Accepts numbers as JSON prints them (1e-7) and as PostgreSQL prints them (0.0000001). */
const isNumber = (value: string) =>
  (plainNumber.test(value) && value !== '-0') ||
  (String(Number(value)) === value && Number.isFinite(Number(value)))

/**
 * The JSON values whose text is `value`, as a JSON array: a string, and possibly a number or a
 * boolean.
 */
export function valuesWithText(value: string): string {
  const isLiteral = isNumber(value) || value === 'true' || value === 'false'
  return `[${JSON.stringify(value)}${isLiteral ? `,${value}` : ''}]`
}

/** The value at a metadata path of this depth. */
export const stepsInto = (depth: number): SQL => metadataAt(pathNames(depth).map(sql.placeholder))

/**
 * Whether the scalar at a metadata path of this depth, or any element of an array there, is one of
 * the placeholder `values`. A missing field does not match. With `@>`, an array contains its
 * elements and a scalar contains itself.
 */
export function hasValue(depth: number): SQL {
  const values = sql`array(select jsonb_array_elements(${sql.placeholder('values')}::jsonb))`
  return sql`coalesce((${stepsInto(depth)}) @> any (${values}), false)`
}
