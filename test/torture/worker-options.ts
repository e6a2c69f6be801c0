import type { Outcome } from './http-client.ts'

export interface WorkerOptions {
  /** Whether an upload that was answered 503 is sent again at once. */
  readonly retryUploads?: boolean
  /** Never deletes all embeddings at once, since those that come after it are another collection. */
  readonly keepsCollections?: boolean
  /** Every answer goes here as well. */
  readonly onOutcome?: (outcome: Outcome, what: string, handle: string) => void
  /** Whether a refusal, which is a violation otherwise, may be. */
  readonly isExcused?: (outcome: Outcome, handle: string) => boolean
}
