import { InvalidScheme } from './invalid-scheme.js'
import { validatorOf } from './validators.js'
import { violationLines } from './violation-lines.js'

/**
 * @typedef {{ index: number, lines: string[] }} Violation The first bad one of a batch, and what is
 *   wrong with it, a line for each thing.
 * @typedef {{ invalid: string } | { violation: Violation | undefined }} Outcome
 */

const lineFeed = 0x0a

/**
 * Validates JSON texts, each on a line of its own, with a schema; of none it checks the schema.
 * @param {string} scheme
 * @param {Buffer} texts
 * @returns {Outcome}
 */
export function validateLines(scheme, texts) {
  try {
    const validate = validatorOf(scheme)
    for (let [start, index] = [0, 0]; start < texts.length; index += 1) {
      const feed = texts.indexOf(lineFeed, start)
      const end = feed === -1 ? texts.length : feed
      const lines = violationLines(validate, JSON.parse(texts.toString('utf8', start, end)))
      if (lines.length > 0) return { violation: { index, lines } }
      start = end + 1
    }
    return { violation: undefined }
  } catch (error) {
    if (error instanceof InvalidScheme) return { invalid: error.message }
    throw error
  }
}
