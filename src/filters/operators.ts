import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/** What can be compared: a field of the metadata, or a column. */
type Subject = 'metadata' | 'text_id' | 'created_at'

/** `in` holds if one of several values is equal; the other comparisons have one value. */
export type Comparison = 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'prefix'

export interface ComparisonRule {
  /** The JSON types that it compares. */
  readonly types: readonly string[]
  /** Its operator in SQL/JSON paths. */
  readonly jsonPath: string
  /** Whether a GIN index of jsonb_path_ops can find what matches. */
  readonly isIndexed: boolean
  /**
   * The condition on a text_id or time. `value` has the column's type, or is an array of it for
   * `in`.
   */
  readonly onColumn: (column: SQLWrapper, value: SQL) => SQL
  /**
   * How to test large metadata: by a join on equal values, by the greatest or least element, or by
   * comparing each element with each value.
   */
  readonly onLarge: 'equal' | 'most' | 'least' | ((element: SQL, value: SQL) => SQL)
}

const ordered = (symbol: string, onLarge: 'most' | 'least'): ComparisonRule => ({
  types: ['number', 'string'],
  jsonPath: symbol,
  isIndexed: false,
  onColumn: (column, value) => sql`${column} ${sql.raw(symbol)} ${value}`,
  onLarge,
})

/** How values are compared, for all forms of a filter. */
export const comparisons: Readonly<Record<Comparison, ComparisonRule>> = {
  in: {
    types: ['string', 'number', 'boolean', 'null'],
    jsonPath: '==',
    isIndexed: true,
    onColumn: (column, values) => sql`${column} = any (${values})`,
    onLarge: 'equal',
  },
  gt: ordered('>', 'most'),
  gte: ordered('>=', 'most'),
  lt: ordered('<', 'least'),
  lte: ordered('<=', 'least'),
  prefix: {
    types: ['string'],
    jsonPath: 'starts with',
    isIndexed: false,
    onColumn: (column, value) => sql`(${column} >= ${value} and starts_with(${column}, ${value}))`,
    onLarge: (element, value) =>
      sql`jsonb_typeof(${element}) = 'string' and starts_with(${element} #>> '{}', ${value} #>> '{}')`,
  },
}

interface OperatorRule {
  readonly is: Comparison | 'there'
  readonly takesList?: boolean
  readonly negated?: boolean
  /** Whether only elements of arrays match. */
  readonly inArray?: boolean
  /** Why the operator makes no sense for this. */
  readonly senseless?: (of: Subject) => string | false
  /** The explanation in the OpenAPI document, if the name is not enough. */
  readonly words?: string
}

/** The operators of a field, in the order of the OpenAPI document. */
export const operators: ReadonlyMap<string, OperatorRule> = new Map(
  Object.entries<OperatorRule>({
    $eq: { is: 'in' },
    $ne: { is: 'in', negated: true },
    $gt: { is: 'gt' },
    $gte: { is: 'gte' },
    $lt: { is: 'lt' },
    $lte: { is: 'lte' },
    $in: { is: 'in', takesList: true },
    $nin: { is: 'in', takesList: true, negated: true },
    $exists: {
      is: 'there',
      senseless: (of) => of !== 'metadata' && `every embedding has a ${of}`,
    },
    $contains: {
      is: 'in',
      inArray: true,
      senseless: (of) => of !== 'metadata' && `${of} is no array`,
      words: 'an array has the element',
    },
    $prefix: {
      is: 'prefix',
      senseless: (of) => of === 'created_at' && `${of} is no text`,
      words: 'of a text',
    },
  }),
)
