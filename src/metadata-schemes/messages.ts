import type { Outcome } from './validate-lines.ts'

/** What is asked of the thread that validates metadata. */
export interface SchemeRequest {
  readonly scheme: string
  /** The metadata as JSON texts, each on a line of its own; none to check the scheme alone. */
  readonly lines: Uint8Array<ArrayBuffer>
  /** How many bad texts are looked for. */
  readonly maxViolations: number
}

/** With the processor time that it took, in milliseconds. */
export type SchemeReply = Outcome & { readonly cpuMs: number }
