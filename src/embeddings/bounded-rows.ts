import { type SQL, sql } from 'drizzle-orm'
import { inCollection } from '../collections/keys.ts'
import { embeddings } from '../db/schema.ts'
import type { Projection } from './projection.ts'

/**
 * Texts may be as large as a body that was once allowed, so a read is limited to this many bytes.
 */
export const usualBytes = 8 * 2 ** 20
/** Approximate bytes of a row in addition to its parts. */
export const ownBytes = 200

/**
 * Approximate bytes of an element as text. The size of a row is estimated without reading it:
 * elements count with their printed length, and compressed metadata several times.
 */
export const elementBytes = { json: 13, base64: 6 }

function rowBytes({ parts, vectorFormat }: Projection): SQL {
  const { text, metadata, vectorDim } = embeddings
  const sizes = [
    sql.raw(`${ownBytes}`),
    ...(parts.vector ? [sql`${sql.raw(`${elementBytes[vectorFormat]}`)} * ${vectorDim}`] : []),
    ...(parts.text ? [sql`coalesce(octet_length(${text}), 0)`] : []),
    ...(parts.metadata ? [sql`coalesce(8 * pg_column_size(${metadata}), 0)`] : []),
  ]
  return sql.join(sizes, sql` + `)
}

/**
 * Rows of `embeddings` in an order. `select` makes the statement that reads these columns of each.
 */
interface RowsToRead {
  readonly order: SQL
  readonly select: (columns: SQL) => SQL
}

/**
 * Ordered by text_id.
 * @param limit how many rows
 */
export const rowsWhere = (
  where: SQL | undefined,
  limit?: number,
  from = sql`${embeddings}`,
): RowsToRead => ({
  order: sql`text_id`,
  select: (columns) =>
    sql`select ${columns} from ${from} where ${where} order by ${embeddings.textId}${limit === undefined ? sql`` : sql` limit ${limit}`}`,
})

/** The rows of these text_ids, in their order and as often as they occur. `place` counts from 1. */
export const rowsOf = (collectionId: number, textIds: readonly string[]): RowsToRead => ({
  order: sql`place`,
  // Each is looked up by its key: the limit keeps PostgreSQL from reading and joining the project.
  select: (columns) => sql`select place, stored.*
    from jsonb_array_elements_text(${JSON.stringify(textIds)}::jsonb) with ordinality as wanted (id, place)
    cross join lateral (select ${columns} from ${embeddings} where ${inCollection(collectionId)}
      and ${embeddings.textId} = wanted.id limit 1) as stored`,
})

/** Columns of `boundedRows`, mapped as in `embeddings`; `there` is the number of all rows. */
export const rowColumns = {
  textId: sql<string>`text_id`,
  vectorDim: sql`vector_dim`.mapWith(embeddings.vectorDim),
  createdAt: sql`created_at`.mapWith(embeddings.createdAt),
  there: sql`there`.mapWith(Number),
}

/**
 * A subquery for the first rows, as many as are read at once.
 * @param showing the parts to select
 */
export function boundedRows(
  { order, select }: RowsToRead,
  showing: Projection,
  maxBytes = usualBytes,
): SQL {
  const { textId, vectorDim, createdAt, text, metadata, vector } = embeddings
  const columns = sql.join([textId, vectorDim, createdAt, text, metadata, vector], sql`, `)
  return sql`(select * from (
    select *, count(*) over () as there, sum(bytes) over (order by ${order}) - bytes as before
    from (${select(sql`${columns}, ${rowBytes(showing)} as bytes`)}) as wanted_rows) as sized
    where before < ${maxBytes}) as bounded`
}
