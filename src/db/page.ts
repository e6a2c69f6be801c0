/** The part of an ordered list that is asked for. */
export interface Page {
  readonly limit: number
  readonly offset: number
}

/** The limit of a page for which none is given. */
export const usualPage = 10
