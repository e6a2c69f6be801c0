import { InvalidScheme } from './invalid-scheme.js'
import { validatorOf } from './validators.js'
import { violationLines } from './violation-lines.js'

/**
 * @typedef {{ index: number, lines: string[] }} Violation A bad one of a batch, and what is wrong
 *   with it, a line for each thing.
 * @typedef {{ invalid: string } | { violations: Violation[] }} Outcome
 */

const lineFeed = 0x0a

/**
 * Validates JSON texts, each on a line of its own, with a schema; of none it checks the schema.
 * @param {string} scheme
 * @param {Buffer} texts
 * @param {number} most how many violations are looked for
 * @returns {Outcome}
 */
export function validateLines(scheme, texts, most) {
  try {
    const validate = validatorOf(scheme)
    /** @type {Violation[]} */
    const violations = []
    for (let [start, index] = [0, 0]; start < texts.length; index += 1) {
      if (violations.length === most) break
      const feed = texts.indexOf(lineFeed, start)
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
