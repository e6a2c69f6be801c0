import type { Outcome } from './validate-lines.ts'

/** A request to the thread that validates metadata. */
export interface SchemeRequest {
  readonly scheme: string
  /** The metadata as one JSON text per line. No lines check only the schema. */
  readonly lines: Uint8Array<ArrayBuffer>
  /** The number of violations after which validation stops. */
  readonly maxViolations: number
}

/** The result and the processor time in milliseconds. */
export type SchemeReply = Outcome & { readonly cpuMs: number }
