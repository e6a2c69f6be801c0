import type { RefusedCall } from '../call.ts'
import type { Checked } from './check.ts'
import { nothingSent, type Sent } from './send.ts'

/** How far the upload of a file has come. */
export interface Progress {
  readonly phase: 'checking' | 'asking' | 'sending' | 'paused' | 'failed' | 'unreadable' | 'ended'
  /** The share of the file that is checked. */
  readonly share: number
  readonly checked: Checked | undefined
  /** How many rows are to be sent. */
  readonly total: number
  readonly sent: Sent
  readonly refusal: RefusedCall | undefined
  readonly isPausing: boolean
  /** When sending began or went on, and how many rows were settled then. */
  readonly began: { readonly at: number; readonly settled: number }
}

export const atStart: Progress = {
  ...{ phase: 'checking', share: 0, checked: undefined, total: 0, sent: nothingSent },
  ...{ refusal: undefined, isPausing: false, began: { at: 0, settled: 0 } },
}
