/** The text_ids before and after a text, in the order in which they are read. */
export interface Around {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** At most so many of each. */
export type AroundLimits = { readonly [Side in keyof Around]: number }

/** What one statement finds of a text, in the same order, as JSON arrays. */
export interface FoundAround {
  readonly id: string
  readonly before: string
  readonly after: string
}
