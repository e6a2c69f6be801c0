/** A value in a filter: of JSON, but no list and no object. */
export type Scalar = string | number | boolean | null

/** What a condition is about: what is at a path of the metadata, or what the service itself knows. */
export type Field =
  | { readonly of: 'metadata'; readonly path: readonly string[] }
  | { readonly of: 'text_id' }
  | { readonly of: 'created_at' }

/** `in` holds where one of the values is equal; the others have one value. */
export type Comparison = 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'prefix'

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

/** Whether it is about the metadata alone. */
export function isOfMetadata(filter: Filter): boolean {
  switch (filter.is) {
    case 'and':
    case 'or':
      return filter.of.every(isOfMetadata)
    case 'not':
      return isOfMetadata(filter.of)
    default:
      return filter.field.of === 'metadata'
  }
}

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
export function comparedPaths(filter: Filter): (readonly string[])[] {
  switch (filter.is) {
    case 'and':
    case 'or':
      return filter.of.flatMap(comparedPaths)
    case 'not':
      return comparedPaths(filter.of)
    case 'there':
      return []
    default:
      return filter.field.of === 'metadata' ? [filter.field.path] : []
  }
}

/** Whether a filter has no condition that an embedding could fail. */
export function holdsForAll(filter: Filter): boolean {
  switch (filter.is) {
    case 'and':
      return filter.of.every(holdsForAll)
    case 'or':
      return filter.of.some(holdsForAll)
    default:
      return false
  }
}
