import { eq, type MakeColumnConfig, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import {
  type PgTable,
  PgVector,
  PgVectorBuilder,
  type PgVectorBuilderInitial,
} from 'drizzle-orm/pg-core'
import { StartupError } from '../errors.ts'
import { pgExtension } from './catalog.ts'
import type { Db } from './database.ts'

type BuilderConfig = PgVectorBuilderInitial<string, number>['_']
type ColumnConfig = MakeColumnConfig<BuilderConfig, string> & Pick<BuilderConfig, 'dimensions'>

class VectorColumn extends PgVector<ColumnConfig> {
  override getSQLType() {
    return 'vector'
  }
}

class VectorBuilder extends PgVectorBuilder<BuilderConfig> {
  build(table: PgTable) {
    return new VectorColumn(table, this.config)
  }
}

/**
 * Drizzle's pgvector column, without fixed dimensions. Its values are float32. pgvector prints the
 * shortest decimal that reads back to the same float32, which is also valid JSON.
 */
export const vector = (name: string) =>
  // The builder requires a number, which only the SQL type of its own column would show.
  new VectorBuilder(name, { dimensions: 0 })

/** Binary, as base64: printing numbers takes twice as long, and reading them four times. */
export const sentVector = (vector: SQLWrapper) =>
  sql<string>`encode(vector_send(${vector}), 'base64')`

/**
 * Cosine distance, within 5e-7 for any dimensions, by the law of cosines for unit vectors a and b:
 * (|a - b|² - (|a| - |b|)²) / 2|a||b|. `<=>` sums in float32, but `l2_normalize` and `vector_norm`
 * in float64, so only elements are rounded: by 2^-24 of themselves when they are normalised, which
 * is why |a| and |b| are not quite 1, and again when they are subtracted. Vectors of one direction
 * and those without a common dimension are off by less than 1e-9, which is rounded away. Takes
 * four times as long as `<=>`.
 * @param unit a vector of length 1
 * @param length what its rounded elements make of that length
 */
export const preciseDistance = (vector: SQLWrapper, unit: SQLWrapper, length: SQLWrapper): SQL =>
  sql`(select round((power(vector_norm(own.unit - ${unit}), 2) - power(vector_norm(own.unit) - ${length}, 2))
    / (vector_norm(own.unit) * ${length}) * 5e8) / 1e9 from (select l2_normalize(${vector}) as unit offset 0) as own)`

/** The vector of length 1 in the same direction. */
export const unitVector = (vector: SQLWrapper): SQL => sql`l2_normalize(${vector})`

/** The length of that, as float64. */
export const unitLength = (vector: SQLWrapper): SQL => sql`vector_norm(${unitVector(vector)})`

/** A copy of the elements of a vector from `first` on, counted from 1. */
export const subvector = (vector: SQLWrapper, first: number, count: SQLWrapper) =>
  sql`subvector(${vector}, ${sql.raw(`${first}`)}, ${count})`

/** Half precision, by L2; or the signs of the elements. */
export const indexKinds = ['halfvec_l2', 'bit'] as const
export type IndexKind = (typeof indexKinds)[number]

/** pgvector cannot index halfvec with more dimensions. */
export const maxHalfvecDimensions = 4_000

interface VectorForm {
  readonly kind: IndexKind
  readonly dimensions: number
}

/** Converts the normalised vector, because elements above 65,504 have no half-precision value. */
const halves = (vector: SQLWrapper, dimensions: number) =>
  sql`(l2_normalize(${vector})::halfvec(${sql.raw(`${dimensions}`)}))`

const signs = (vector: SQLWrapper, dimensions: number) =>
  sql`(binary_quantize(${vector})::bit(${sql.raw(`${dimensions}`)}))`

/**
 * All distances rank unit vectors alike, but only L2 distinguishes those that are nearly equal:
 * with the inner product, which is rounded near 1, a graph loses most of three hundred such
 * vectors.
 */
const forms = {
  halfvec_l2: { cast: halves, operatorClass: sql`halfvec_l2_ops`, operator: sql`<->` },
  bit: { cast: signs, operatorClass: sql`bit_hamming_ops`, operator: sql`<~>` },
}

/** The form in which an index holds a vector. A search uses it if its expression is the same. */
const indexedForm = (vector: SQLWrapper, { kind, dimensions }: VectorForm): SQL =>
  forms[kind].cast(vector, dimensions)

/** The column of an index, with the operator class for its distance. */
export const indexColumn = (vector: SQLWrapper, form: VectorForm): SQL =>
  sql`${indexedForm(vector, form)} ${forms[form.kind].operatorClass}`

/**
 * The distance in whose order an index returns its vectors: L2 or Hamming.
 * @param sought gets a function that turns a vector into what the index would hold of it, and
 *   returns the query vector in that form
 */
export const indexDistance = (
  stored: SQLWrapper,
  sought: (indexed: (vector: SQLWrapper) => SQL) => SQL,
  form: VectorForm,
): SQL =>
  sql`${indexedForm(stored, form)} ${forms[form.kind].operator} ${sought((vector) => indexedForm(vector, form))}`

/** The first version with halfvec, and with indexes over bits. */
const oldest = '0.7.0'
/** Older versions lose rows of HNSW indexes at VACUUM; see pgvector's change log. */
export const firstSoundVersion = '0.8.4'

/** @returns undefined if the extension is not installed */
export async function pgvectorVersion(db: Db): Promise<string | undefined> {
  const [extension] = await db
    .select({ version: pgExtension.version })
    .from(pgExtension)
    .where(eq(pgExtension.name, 'vector'))
  return extension?.version ?? undefined
}

/** Whether HNSW indexes of this version can be relied on. */
export const isSound = (version: string) => isAtLeast(version, firstSoundVersion)

/**
 * @returns a warning for the operator about a version without reliable indexes
 * @throws StartupError for a version that is too old
 */
export function checkVersion(version: string): string | undefined {
  if (isSound(version)) return undefined
  if (isAtLeast(version, oldest)) {
    return `pgvector ${version} has known index bugs; update to ${firstSoundVersion} or newer`
  }
  throw new StartupError(
    `pgvector ${version} is too old; install ${firstSoundVersion} or newer and run "ALTER EXTENSION vector UPDATE"`,
  )
}

const isAtLeast = (version: string, least: string) =>
  /^\d/.test(version) && version.localeCompare(least, 'en', { numeric: true }) >= 0

/**
 * SQL for a value of search_path: `public`, where the tables are, even if there is a schema with
 * the database user's name, and the extension's schema.
 */
export const searchPath = `concat_ws(', ', 'public', (
  select nullif(quote_ident(nspname), 'public') from pg_catalog.pg_extension
  join pg_catalog.pg_namespace on pg_namespace.oid = extnamespace where extname = 'vector'))`

/**
 * Sets run-time parameters as SET LOCAL does, but as a part of the statement, which saves three
 * round trips. The condition depends on no row, so it is evaluated once and before the scan begins
 * (a "one-time filter").
 */
export function withParameters(parameters: Record<string, string | number>): SQL {
  const set = Object.entries(parameters).map(
    ([name, setting]) => sql`set_config(${sql.raw(`'${name}', '${setting}'`)}, true)`,
  )
  return sql`(select ${sql.join(set, sql` || `)}) is not null`
}
