import { and, type SQL } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { inCollection } from './keys.ts'

/** How many embeddings of a collection satisfy a condition, exactly: all that may are looked at. */
export const countEmbeddings = (db: Db, collectionId: number, condition: SQL): Promise<number> =>
  db.$count(embeddings, and(inCollection(collectionId), condition))
