import { type SQL, sql } from 'drizzle-orm'
import { inCollection } from '../collections/keys.ts'
import { embeddings } from '../db/schema.ts'
import type { Projection } from './projection.ts'

/** Texts may be as large as a body that was once allowed: so much of them is read at once. */
const usualBytes = 8 * 2 ** 20
/** Of a row beside its parts, roughly. */
export const ownBytes = 200

/**
 * What a row amounts to as text, roughly, by what is known without reading it: the printed length of
 * an element, and compressed metadata some times larger.
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

/** Rows of `embeddings` in an order: of the columns that are read of each, it makes a statement. */
interface RowsToRead {
  readonly order: SQL
  readonly select: (columns: SQL) => SQL
}

/** By their text_ids. @param limit of how many */
export const rowsWhere = (
  where: SQL | undefined,
  limit?: number,
  from = sql`${embeddings}`,
): RowsToRead => ({
  order: sql`text_id`,
  select: (columns) =>
    sql`select ${columns} from ${from} where ${where} order by ${embeddings.textId}${limit === undefined ? sql`` : sql` limit ${limit}`}`,
})

/** Those of these text_ids, as often and in the order as they are there; each has its `place` from 1 on. */
export const rowsOf = (collectionId: number, textIds: readonly string[]): RowsToRead => ({
  order: sql`place`,
  // By its key, each: the limit keeps PostgreSQL from reading the whole project and joining it.
  select: (columns) => sql`select place, stored.*
    from jsonb_array_elements_text(${JSON.stringify(textIds)}::jsonb) with ordinality as wanted (id, place)
    cross join lateral (select ${columns} from ${embeddings} where ${inCollection(collectionId)}
      and ${embeddings.textId} = wanted.id limit 1) as stored`,
})

/** Of `boundedRows`, as `embeddings` has them; `there` is how many rows there are in all. */
export const rowColumns = {
  textId: sql<string>`text_id`,
  vectorDim: sql`vector_dim`.mapWith(embeddings.vectorDim),
  createdAt: sql`created_at`.mapWith(embeddings.createdAt),
  there: sql`there`.mapWith(Number),
}

/**
 * To select from: the first of the rows, so many as are read at once.
 * @param showing the parts that are selected of them
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
