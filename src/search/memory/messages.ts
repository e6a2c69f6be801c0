import type { Change } from '../../collections/change-listener.ts'
import type { CollectionAt } from './cached-collections.ts'
import type { CandidateRequest, Candidates, Unknown } from './candidates.ts'
import type { StoredVector } from './read-vectors.ts'

export interface CacheOptions {
  /**
   * Components (vectors × dimensions) of a collection above which not all vectors are compared in
   * full.
   */
  readonly exactBudget: number
}

export interface Question {
  readonly state: CollectionAt
  readonly request: CandidateRequest
}

/** `candidates` is answered; the others are notifications. See `CachedCollections`. */
export type CacheMessage =
  | (Question & { readonly do: 'candidates' })
  | ({ readonly do: 'begin' } & CollectionAt)
  | { readonly do: 'load'; readonly collectionId: number; readonly rows: readonly StoredVector[] }
  | { readonly do: 'complete' | 'drop'; readonly collectionId: number }
  | ({ readonly do: 'change' } & Change)
  | { readonly do: 'begin mask'; readonly collectionId: number; readonly key: string }
  | {
      readonly do: 'fill mask'
      readonly collectionId: number
      readonly key: string
      readonly textIds: string
    }

export type CacheReply = Candidates | Unknown
