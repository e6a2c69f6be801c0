import type { Comparison } from './operators.ts'

/** A value in a filter: any JSON value except arrays and objects. */
export type Scalar = string | number | boolean | null

/** What a condition is about: a path of the metadata, or a column. */
export type Field =
  | { readonly of: 'metadata'; readonly path: readonly string[] }
  | { readonly of: 'text_id' }
  | { readonly of: 'created_at' }
  | { readonly of: 'text' }

/**
 * A condition on stored embeddings, as `parseFilter` reads it from JSON. $ne and $nin become a
 * `not`, so that every filter either holds for an embedding or does not.
 */
export type Filter =
  | { readonly is: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly is: 'not'; readonly of: Filter }
  | { readonly is: 'there'; readonly field: Field }
  /** If the value is an array, its elements are compared, and one that matches is enough. */
  | {
      readonly is: Comparison
      readonly field: Field
      readonly values: readonly Scalar[]
      /** Whether only an array matches. */
      readonly inArray?: boolean
    }
  | TextTest

/** Holds for every embedding. As any filter, it ends a statement that takes too long. */
export const everything: Filter = { is: 'and', of: [] }

/** Whether a text has this part, in capital or small letters. */
export interface TextTest {
  readonly is: 'contains'
  readonly part: string
}

/** A condition on one field, but for those on parts of texts. */
export type Test = Exclude<Filter, { is: 'and' | 'or' | 'not' | 'contains' }>

/** All conditions on fields, however they are combined. */
export function testsIn(filter: Filter): (Test | TextTest)[] {
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

/** Whether a filter is about metadata only. */
export const isOfMetadata = (filter: Filter): boolean =>
  testsIn(filter).every((test) => test.is !== 'contains' && test.field.of === 'metadata')

/** Whether a filter is about parts of texts only. */
export const isOfParts = (filter: Filter): boolean =>
  !isOfMetadata(filter) && testsIn(filter).every(({ is }) => is === 'contains')

/** Whether a filter of metadata only holds for an embedding without metadata. */
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

/** The conditions of a filter that compare values of the metadata. */
export const comparisonsIn = (filter: Filter) =>
  testsIn(filter).flatMap((test) =>
    test.is !== 'there' && test.is !== 'contains' && test.field.of === 'metadata'
      ? [{ test, path: test.field.path }]
      : [],
  )

/** Whether a filter has no condition that an embedding could fail. */
export const holdsForAll = (filter: Filter): boolean =>
  filter.is === 'and'
    ? filter.of.every(holdsForAll)
    : filter.is === 'or' && filter.of.some(holdsForAll)
