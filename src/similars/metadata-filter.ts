import { type SQL, sql } from 'drizzle-orm'
import { embeddings } from '../db/schema.ts'

/** Leaves out documents whose metadata has `value` at `path`. */
export interface Exclusion {
  readonly path: readonly string[]
  readonly value: string
}

/** The names of the placeholders for the steps of a path. */
export const pathNames = (depth: number): string[] =>
  Array.from({ length: depth }, (_, step) => `step${step}`)

/** PostgreSQL prints numbers without exponents: 1e-7, as JSON has it, is compared as a number too. */
export const numberIn = (value: string): string | null =>
  String(Number(value)) === value && Number.isFinite(Number(value)) ? value : null

/**
 * Whether the scalar at a metadata path of this depth, or any element of an array there, equals the
 * placeholder `value` as text, or `number` as a number. `->` with a text key walks objects only,
 * never arrays; a missing field is no match.
 */
export function hasValue(depth: number): SQL {
  const steps = pathNames(depth).map((name) => sql`${sql.placeholder(name)}::text`)
  const field = sql.join([sql`${embeddings.metadata}`, ...steps], sql` -> `)
  const equals = (scalar: SQL) =>
    sql`(${scalar} #>> '{}' = ${sql.placeholder('value')}::text or ${scalar} = ${sql.placeholder('number')}::jsonb)`
  return sql`coalesce(case jsonb_typeof(${field})
    when 'array' then exists (
      select from jsonb_array_elements(${field}) as element(item) where ${equals(sql`element.item`)}
    )
    when 'object' then false
    else ${equals(sql`(${field})`)}
  end, false)`
}
