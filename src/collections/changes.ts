import { and, asc, eq, gt, lt, lte, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { collectionChanges, collections } from '../db/schema.ts'

/** For a change of more embeddings, only the fact that there was one is noted. */
export const maxNoted = 10_000
/** A process that has not asked for this long reads the collection anew. */
const keptMinutes = 5
const deletedAtOnce = 1_000

/** Changes of a collection's row besides its revision. */
interface Counted {
  /** How many embeddings were added; negative if they were removed. */
  readonly vectors: number
  readonly set?: Readonly<Record<string, SQL | number>>
  /** If this does not hold, nothing is counted. */
  readonly where?: SQL
}

/** A change of a collection, with its revisions before and after. */
export interface CountedChange {
  readonly collectionId: number
  readonly after: number
  readonly revision: number
}

/**
 * Counts a change. It must be the last statement of a transaction that changes embeddings, because
 * others wait for the collection's row until the end.
 * @param textIds of the changed embeddings: all, or more than `maxNoted` of them
 * @returns the change, as it will be after the commit
 */
export async function countChange(
  db: Db,
  collectionId: number,
  textIds: readonly string[],
  by: Counted,
): Promise<CountedChange> {
  const counted = counting(db, collectionId, by)
  const list = textIds.length > maxNoted ? null : JSON.stringify(textIds)
  const [change] = await noting(db.with(counted), db, counted, list)
  if (change === undefined) throw new Error('the collection is gone')
  return { collectionId, after: change.revision - 1, revision: change.revision }
}

/** The part of a statement that counts a change in the collection of the embeddings. */
export const counting = (db: Db, collectionId: number, { vectors, set, where }: Counted) =>
  db.$with('counted').as(
    db
      .update(collections)
      .set({
        ...set,
        vectors: sql`${collections.vectors} + ${vectors}`,
        revision: sql`${collections.revision} + 1`,
      })
      .where(and(eq(collections.collectionId, collectionId), where))
      .returning({ collectionId: collections.collectionId, revision: collections.revision }),
  )

/**
 * The part that also notes the text_ids of the embeddings.
 * @param into what inserts
 * @param textIds as a JSON array
 */
export const noting = (
  into: Pick<Db, 'insert'>,
  db: Db,
  counted: ReturnType<typeof counting>,
  textIds: string | null,
) =>
  into
    .insert(collectionChanges)
    .select(
      db
        .select({
          collectionId: counted.collectionId,
          revision: counted.revision,
          textIds: sql`${textIds}::jsonb`.as('text_ids'),
          changedAt: sql`clock_timestamp()`.as('changed_at'),
        })
        .from(counted),
    )
    .returning({
      collectionId: collectionChanges.collectionId,
      revision: collectionChanges.revision,
    })

/**
 * The text_ids that were changed after a revision. Of many changes, only the first ones, as far as
 * they are worth reading: minutes of uploads may have noted millions.
 * @param inSteps whether changes of more than `maxNoted` embeddings are read step by step, since
 *   reading the collection anew is more work; otherwise they count as not noted
 * @returns undefined if not all changes were noted, or are still known
 */
export async function changesAfter(
  db: Db,
  collectionId: number,
  revision: number,
  inSteps = false,
): Promise<{ revision: number; textIds: string[] } | undefined> {
  const before = sql`coalesce(sum(jsonb_array_length(${collectionChanges.textIds}))
    over (order by ${collectionChanges.revision} rows between unbounded preceding and 1 preceding), 0)`
  const noted = db
    .select({
      revision: collectionChanges.revision,
      textIds: collectionChanges.textIds,
      before: before.as('before'),
    })
    .from(collectionChanges)
    .where(
      and(
        eq(collectionChanges.collectionId, collectionId),
        gt(collectionChanges.revision, revision),
      ),
    )
    .orderBy(asc(collectionChanges.revision))
    .limit(maxNoted)
    .as('noted')
  const changes = await db
    .select({ revision: noted.revision, textIds: noted.textIds })
    .from(noted)
    .where(lte(noted.before, maxNoted))
    .orderBy(asc(noted.revision))
  const textIds = new Set<string>()
  let last = revision
  for (const change of changes) {
    if (change.revision !== last + 1 || change.textIds === null) return undefined
    if (inSteps && textIds.size + change.textIds.length > maxNoted && textIds.size > 0) break
    last += 1
    for (const textId of change.textIds) textIds.add(textId)
    if (textIds.size > maxNoted) return undefined
  }
  return last === revision ? undefined : { revision: last, textIds: [...textIds] }
}

/** @returns whether there may be more */
export async function forgetOldChanges(db: Db): Promise<boolean> {
  const old = db
    .select({ collectionId: collectionChanges.collectionId, revision: collectionChanges.revision })
    .from(collectionChanges)
    .where(
      lt(collectionChanges.changedAt, sql`now() - interval '${sql.raw(`${keptMinutes}`)} minutes'`),
    )
    .orderBy(asc(collectionChanges.changedAt))
    .limit(deletedAtOnce)
  const gone = await db
    .delete(collectionChanges)
    .where(sql`(${collectionChanges.collectionId}, ${collectionChanges.revision}) in ${old}`)
    .returning({ revision: collectionChanges.revision })
  return gone.length === deletedAtOnce
}
