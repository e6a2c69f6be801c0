import { jsonBytes } from '../json/scan.ts'
import { InvalidScheme } from './invalid-scheme.ts'
import { validatorOf } from './validators.ts'
import { violationLines } from './violation-lines.ts'

/** One of a batch that does not satisfy the schema. */
export interface SchemeViolation {
  /** Its place in the batch, from 0. */
  readonly index: number
  /** What is wrong with it, a line for each thing. */
  readonly lines: string[]
}

/** What the schema is refused for, or what it finds. */
export type Outcome = { readonly invalid: string } | { readonly violations: SchemeViolation[] }

/**
 * Validates JSON texts, each on a line of its own, with a schema; of none it checks the schema.
 * @param maxViolations after so many bad texts the rest is not looked at
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
