/** Which part of an ordered list is asked for. */
export interface Page {
  readonly limit: number
  readonly offset: number
}
