import type { Comparison } from './operators.ts'

/** A value in a filter: of JSON, but no list and no object. */
export type Scalar = string | number | boolean | null

/** What a condition is about: what is at a path of the metadata, or what the service itself knows. */
export type Field =
  | { readonly of: 'metadata'; readonly path: readonly string[] }
  | { readonly of: 'text_id' }
  | { readonly of: 'created_at' }

/**
 * A condition on stored embeddings, read from its JSON form by `parseFilter`. What is left of $ne and
 * $nin is a `not`, so that every filter either holds for an embedding or does not.
 */
export type Filter =
  | { readonly is: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly is: 'not'; readonly of: Filter }
  | { readonly is: 'there'; readonly field: Field }
  /** Of an array the elements are compared, and one that fits is enough. */
  | {
      readonly is: Comparison
      readonly field: Field
      readonly values: readonly Scalar[]
      /** Whether only an array will do. */
      readonly inArray?: boolean
    }

/** A condition on one field. */
export type Test = Exclude<Filter, { is: 'and' | 'or' | 'not' }>

/** All conditions on fields, however they are combined. */
export function testsIn(filter: Filter): Test[] {
  switch (filter.is) {
    case 'and':
    case 'or':
      return filter.of.flatMap(testsIn)
    case 'not':
      return testsIn(filter.of)
    default:
      return [filter]
  }
}

/** Whether it is about the metadata alone. */
export const isOfMetadata = (filter: Filter): boolean =>
  testsIn(filter).every(({ field }) => field.of === 'metadata')

/** Whether a filter of metadata alone holds where there is no metadata. */
export function holdsForNothing(filter: Filter): boolean {
  switch (filter.is) {
    case 'and':
      return filter.of.every(holdsForNothing)
    case 'or':
      return filter.of.some(holdsForNothing)
    case 'not':
      return !holdsForNothing(filter.of)
    default:
      return false
  }
}

/** The metadata paths whose values it compares. */
export const comparedPaths = (filter: Filter): (readonly string[])[] =>
  testsIn(filter).flatMap(({ is, field }) =>
    is !== 'there' && field.of === 'metadata' ? [field.path] : [],
  )

/** Whether a filter has no condition that an embedding could fail. */
export const holdsForAll = (filter: Filter): boolean =>
  filter.is === 'and'
    ? filter.of.every(holdsForAll)
    : filter.is === 'or' && filter.of.some(holdsForAll)
