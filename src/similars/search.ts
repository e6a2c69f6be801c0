import { and, asc, cosineDistance, eq, lte, ne, not, type SQL, sql } from 'drizzle-orm'
import type { Project } from '../access/access.ts'
import type { Database, Db } from '../db/database.ts'
import { embeddings } from '../db/schema.ts'
import { noSuchEmbedding, type TextIds } from '../embeddings/embeddings.ts'
import { toFloat32 } from '../embeddings/vectors.ts'
import { badRequest } from '../errors.ts'

/** Below this, two cosine similarities in float32 arithmetic are the same. */
const roundingNoise = 1e-6

export interface SearchOptions {
  readonly limit: number
  readonly offset: number
  /** Smallest similarity of a result, inclusive. */
  readonly threshold: number
  /** Leaves out documents whose metadata has `value` at `path`. */
  readonly exclude: { readonly path: readonly string[]; readonly value: string } | undefined
}

export interface Result {
  readonly id: string
  /** Cosine similarity, 0 to 1. */
  readonly similarity: number
}

/** Finds the stored embeddings that are similar to a stored one or to a vector, most similar first. */
export function createSearch({ db }: Database) {
  const findSource = prepareSource(db)

  return {
    /** @throws 404 when none of the text_ids exists */
    async byTextId(
      project: Project,
      textIds: TextIds,
      includeSelf: boolean,
      options: SearchOptions,
    ): Promise<Result[]> {
      for (const textId of new Set(textIds)) {
        const [source] = await findSource.execute({ projectId: project.projectId, textId })
        if (source === undefined) continue
        const self = includeSelf ? '' : textId
        return search(db, project, source, options, self)
      }
      throw noSuchEmbedding(project, textIds[0] ?? '')
    },

    /** @throws 400 when the project has no instance or the vector does not fit it */
    async byVector(project: Project, vector: number[], options: SearchOptions): Promise<Result[]> {
      const { instance } = project
      if (instance === undefined) {
        throw badRequest(
          `Project '${project.owner}/${project.handle}' has no LLM service instance to search by vector with`,
        )
      }
      if (vector.length !== instance.dimensions) {
        throw badRequest(
          `vector dimension mismatch: expected ${instance.dimensions} dimensions, got ${vector.length}`,
        )
      }
      const float32 = toFloat32(vector)
      if (typeof float32 === 'string') throw badRequest(`vector: ${float32}`)
      const { dimensions } = instance
      return search(db, project, { vector, dimensions }, options, '')
    },
  }
}

function prepareSource(db: Db) {
  return db
    .select({
      // As text, which goes back into the search as it is, without being parsed.
      vector: sql<string>`${embeddings.vector}::text`,
      dimensions: embeddings.vectorDim,
    })
    .from(embeddings)
    .where(
      and(
        eq(embeddings.projectId, sql.placeholder('projectId')),
        eq(embeddings.textId, sql.placeholder('textId')),
      ),
    )
    .prepare('find_source')
}

interface Query {
  readonly vector: string | number[]
  readonly dimensions: number
}

/**
 * Exact search: every vector of the project is compared. Inside, the best `offset + limit` in a
 * total order (distance, then text_id), so that pages neither overlap nor leave gaps; outside,
 * threshold and paging. Distances above 1 (opposite directions) count as 1, so that similarity
 * stays in 0..1. The text of the statement depends on the filter's depth only, so that PostgreSQL
 * plans it once for each connection.
 */
function search(
  db: Db,
  project: Project,
  { vector, dimensions }: Query,
  { limit, offset, threshold, exclude }: SearchOptions,
  self: string,
): Promise<Result[]> {
  const distance = sql<number>`least(${cosineDistance(embeddings.vector, vector)}, 1)`
  const best = db
    .select({ id: embeddings.textId, distance: distance.as('distance') })
    .from(embeddings)
    .where(
      and(
        eq(embeddings.projectId, project.projectId),
        eq(embeddings.vectorDim, dimensions),
        ne(embeddings.textId, self),
        exclude && not(hasValue(exclude.path, exclude.value)),
      ),
    )
    .orderBy((columns) => [asc(columns.distance), asc(columns.id)])
    .limit(offset + limit)
    .as('best')
  return db
    .select({ id: best.id, similarity: sql`1 - ${best.distance}`.mapWith(Number) })
    .from(best)
    .where(lte(best.distance, 1 - threshold + roundingNoise))
    .orderBy(asc(best.distance), asc(best.id))
    .limit(limit)
    .offset(offset)
    .prepare('search')
    .execute()
}

/**
 * Whether the scalar at the metadata path, or any element of an array there, equals the value as
 * text. `->` with a text key walks objects only, never arrays; a missing field is no match.
 */
function hasValue(path: readonly string[], value: string): SQL {
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
