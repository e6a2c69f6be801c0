import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/** What can be compared: a field of the metadata, or a column. */
type Subject = 'metadata' | 'text_id' | 'created_at'

/** `in` holds if one of several values is equal; the other comparisons have one value. */
export type Comparison = 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'prefix'

interface ComparisonRule {
  /** The JSON types that it compares. */
  readonly types: readonly string[]
  /** Its operator in SQL/JSON paths. */
  readonly jsonPath: string
  /**
   * The condition on a text_id or time. `value` has the column's type, or is an array of it for
   * `in`.
   */
  readonly onColumn: (column: SQLWrapper, value: SQL) => SQL
}

const ordered = (symbol: string): ComparisonRule => ({
  types: ['number', 'string'],
  jsonPath: symbol,
  onColumn: (column, value) => sql`${column} ${sql.raw(symbol)} ${value}`,
})

/** How values are compared, for all forms of a filter. */
export const comparisons: Readonly<Record<Comparison, ComparisonRule>> = {
  in: {
    types: ['string', 'number', 'boolean', 'null'],
    jsonPath: '==',
    onColumn: (column, values) => sql`${column} = any (${values})`,
  },
  gt: ordered('>'),
  gte: ordered('>='),
  lt: ordered('<'),
  lte: ordered('<='),
  prefix: {
    types: ['string'],
    jsonPath: 'starts with',
    onColumn: (column, value) => sql`(${column} >= ${value} and starts_with(${column}, ${value}))`,
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
