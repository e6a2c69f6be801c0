import { sql } from 'drizzle-orm'
import { inCollection } from '../../collections/keys.ts'
import type { Db } from '../../db/database.ts'
import { embeddings } from '../../db/schema.ts'
import type { AroundLimits, FoundAround } from './around.ts'

/** Numbers further away are not looked for. Each is looked up by its key. */
export const reach = 50
/** Numbers of more digits are not exact in JavaScript. */
const maxDigits = 15

/** A text_id with its last number, which is not that of a file's ending. */
const numbered =
  /^(?<head>.*?)(?<digits>\d+)(?<tail>\D*(?:\.(?:mp[234]|m4[abv]|jp2|h5|7z|bz2))?)$/is

/** The nearest before a text is the last. */
const inOrder = { '-': sql`step desc, text_id desc`, '+': sql`step, text_id` }

export function placeOf(id: string) {
  const { head = '', digits = '', tail = '' } = numbered.exec(id)?.groups ?? {}
  const isPlace = digits !== '' && digits.length <= maxDigits
  return isPlace ? { id, head, number: Number(digits), digits: digits.length, tail } : undefined
}

/**
 * Finds the texts whose text_ids differ in their last number alone: those with the next numbers,
 * without leading zeros or with as many digits.
 */
export async function aroundByNumber(
  db: Db,
  collectionId: number,
  textIds: readonly string[],
  { before, after }: AroundLimits,
): Promise<FoundAround[]> {
  const places = textIds.flatMap((id) => placeOf(id) ?? [])
  if (places.length === 0) return []
  const side = (sign: '-' | '+', most: number) => sql<string>`(
    select coalesce(json_agg(text_id order by ${inOrder[sign]}), '[]')::text from (
      select step, stored.text_id
      from generate_series(1, ${sign === '-' ? sql`least(${reach}, number)` : reach}) as step
      cross join lateral (select (number ${sql.raw(sign)} step)::text as plain) as next
      cross join lateral (values (plain),
        (case when length(plain) < digits then lpad(plain, digits, '0') end)) as spelled (shown)
      cross join lateral (select text_id from ${embeddings} where ${inCollection(collectionId)}
        and ${embeddings.textId} = head || shown || tail limit 1) as stored
      order by step, stored.text_id limit ${most}) as nearest)`
  return db
    .select({ id: sql<string>`id`, before: side('-', before), after: side('+', after) })
    .from(sql`jsonb_to_recordset(${JSON.stringify(places)}::jsonb)
      as place (id text, head text, number bigint, digits int, tail text)`)
}
