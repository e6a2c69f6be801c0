/** Which part of an ordered list is asked for. */
export interface Page {
  readonly limit: number
  readonly offset: number
}

/** Of a page for which no limit is given. */
export const usualPage = 10
