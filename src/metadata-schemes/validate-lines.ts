import { jsonBytes } from '../json/scan.ts'
import { InvalidScheme } from './invalid-scheme.ts'
import { validatorOf } from './validators.ts'
import { violationLines } from './violation-lines.ts'

/** An item of a batch that violates the schema. */
export interface SchemeViolation {
  /** Its position in the batch, from 0. */
  readonly index: number
  /** The errors, one per line. */
  readonly lines: string[]
}

/** The reason why the schema is rejected, or the violations it finds. */
export type Outcome = { readonly invalid: string } | { readonly violations: SchemeViolation[] }

/**
 * Validates JSON texts, one per line, with a schema. Without texts, it only checks the schema.
 * @param maxViolations stops after this many violations
 */
export function validateLines(scheme: string, texts: Buffer, maxViolations: number): Outcome {
  try {
    const validate = validatorOf(scheme)
    const violations: SchemeViolation[] = []
    for (let [start, index] = [0, 0]; start < texts.length; index += 1) {
      if (violations.length === maxViolations) break
      const feed = texts.indexOf(jsonBytes.lineFeed, start)
      const end = feed === -1 ? texts.length : feed
      const lines = violationLines(validate, JSON.parse(texts.toString('utf8', start, end)))
      if (lines.length > 0) violations.push({ index, lines })
      start = end + 1
    }
    return { violations }
  } catch (error) {
    if (error instanceof InvalidScheme) return { invalid: error.message }
    throw error
  }
}
