import { draftNamed } from './drafts.js'
import { InvalidScheme } from './invalid-scheme.js'
import { Patterns } from './patterns.js'
import { checkShape } from './shape.js'

/** What an instruction of a pattern occupies, in bytes of a schema's text. */
const textOfInstruction = 6

/**
 * @param {string} text
 * @returns {{ validate: import('ajv').ValidateFunction, size: number }} What it occupies is in
 *   proportion to `size`, by about 40.
 * @throws {InvalidScheme}
 */
export function compileScheme(text) {
  const schema = parse(text)
  checkShape(schema)
  const draft = draftNamed(typeof schema === 'boolean' ? undefined : schema.$schema)
  if (draft === undefined) throw new InvalidScheme('$schema must name draft-07, 2019-09 or 2020-12')
  const problem = draft.problem(schema)
  if (problem !== undefined) throw new InvalidScheme(problem)
  const patterns = new Patterns()
  const validate = compileWith(draft.newInstance(patterns), schema)
  // An asynchronous validator answers a promise, which would pass for "valid".
  if ('$async' in validate) throw new InvalidScheme('$async is not supported')
  const size = Buffer.byteLength(text) + textOfInstruction * patterns.instructions
  return { validate, size }
}

/** @type {(text: string) => import('ajv').AnySchema} */
function parse(text) {
  try {
    /** @type {unknown} */
    const schema = JSON.parse(text)
    if (isSchema(schema)) return schema
  } catch {
    // reported below: JSON that does not parse is no schema either
  }
  throw new InvalidScheme('it must be a JSON object (or true or false), serialized as a string')
}

/**
 * @param {unknown} value
 * @returns {value is import('ajv').AnySchema}
 */
const isSchema = (value) =>
  typeof value === 'boolean' ||
  (typeof value === 'object' && value !== null && !Array.isArray(value))

/** @type {(ajv: import('ajv').Ajv, schema: import('ajv').AnySchema) => import('ajv').ValidateFunction} */
function compileWith(ajv, schema) {
  try {
    return ajv.compile(schema)
  } catch (error) {
    throw new InvalidScheme(error instanceof Error ? error.message : String(error))
  }
}
