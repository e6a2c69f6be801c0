import type { Change, Proposals, Sought } from '../../proposer.ts'

export interface ThreadOptions {
  /** Components (vectors × dimensions) above which not all vectors are compared. */
  readonly exactBudget: number
}

/** What the thread is told and asked. It takes one after another, in this order. */
export type Request =
  /** Rows will follow that are read after this revision was. */
  | {
      readonly do: 'begin'
      readonly collectionId: number
      readonly dimensions: number
      readonly revision: number
    }
  /** Some of the rows, (text_id, vector) in the binary format of COPY. */
  | {
      readonly do: 'rows'
      readonly id: number
      readonly collectionId: number
      readonly rows: Uint8Array<ArrayBuffer>
    }
  /** There are no more. */
  | { readonly do: 'complete'; readonly collectionId: number }
  | ({ readonly do: 'change' } & Change)
  | { readonly do: 'drop'; readonly collectionId: number }
  | ({ readonly do: 'propose'; readonly id: number } & Wish)

export interface Wish {
  readonly collectionId: number
  /** What was committed up to here must have been taken in. */
  readonly revision: number
  readonly sought: Sought
  readonly count: number
  readonly exact: boolean
}

export type Reply =
  /** To 'rows': how many these were, and the last of their text_ids. */
  | { readonly id: number; readonly count: number; readonly last: string }
  /** To 'propose': what is proposed, or why nothing is. */
  | { readonly id: number; readonly proposals: Proposals | 'behind' | 'none' }
