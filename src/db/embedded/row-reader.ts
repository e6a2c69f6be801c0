import { eq, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Db } from '../database.ts'
import { collections, embeddings } from '../schema.ts'
import type { Engine } from './engine.ts'
import type { RowReader } from './memory/vector-memory.ts'

const dialect = new PgDialect()
const literal = (text: string) => sql.raw(`'${text.replaceAll("'", "''")}'`)

/** Reads a collection in pieces, each of which holds other statements up for some milliseconds. */
export const rowReader = (engine: Engine, db: Db): RowReader => ({
  async revisionOf(collectionId) {
    const [found] = await db
      .select({ revision: collections.revision })
      .from(collections)
      .where(eq(collections.collectionId, collectionId))
    return found?.revision
  },

  rowsAfter({ collectionId, dimensions }, after, count) {
    // COPY takes no parameters.
    const { sql: text } = dialect.sqlToQuery(sql`copy (
      select ${embeddings.textId}, ${embeddings.vector} from ${embeddings}
      where ${embeddings.collectionId} = ${sql.raw(`${collectionId}`)}
        and ${embeddings.vectorDim} = ${sql.raw(`${dimensions}`)}
        and ${embeddings.textId} > ${literal(after)}
      order by ${embeddings.textId} limit ${sql.raw(`${count}`)}
    ) to '/dev/blob' (format binary)`)
    return engine.copyOut(text)
  },
})
