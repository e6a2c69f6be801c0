import { type SQL, sql } from 'drizzle-orm'
import { embeddings } from '../db/schema.ts'

/** Leaves out documents whose metadata has `value` at `path`. */
export interface Exclusion {
  readonly path: readonly string[]
  readonly value: string
}

/**
 * Whether the scalar at the metadata path, or any element of an array there, equals the value as
 * text. `->` with a text key walks objects only, never arrays; a missing field is no match.
 */
export function hasValue({ path, value }: Exclusion): SQL {
  const steps = path.map((key) => sql`${key}::text`)
  const field = sql.join([sql`${embeddings.metadata}`, ...steps], sql` -> `)
  // PostgreSQL prints numbers without exponents; 1e-7 as JSON has it is compared as a number.
  const number = String(Number(value)) === value && Number.isFinite(Number(value)) ? value : null
  const equals = (scalar: SQL) =>
    sql`(${scalar} #>> '{}' = ${value}::text or ${scalar} = ${number}::jsonb)`
  return sql`coalesce(case jsonb_typeof(${field})
    when 'array' then exists (
      select from jsonb_array_elements(${field}) as element(item) where ${equals(sql`element.item`)}
    )
    when 'object' then false
    else ${equals(sql`(${field})`)}
  end, false)`
}
