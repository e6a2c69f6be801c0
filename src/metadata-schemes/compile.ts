import type { Ajv, AnySchema, ValidateFunction } from 'ajv'
import { draftNamed } from './drafts.ts'
import { InvalidScheme } from './invalid-scheme.ts'
import { Patterns } from './patterns.ts'
import { checkShape } from './shape.ts'

/** The memory of one instruction of a pattern, as an equivalent in bytes of schema text. */
const textOfInstruction = 6

export interface CompiledScheme {
  readonly validate: ValidateFunction
  /** Proportional to the memory used, which is about 40 times as many bytes. */
  readonly size: number
}

/** @throws InvalidScheme */
export function compileScheme(text: string): CompiledScheme {
  const schema = parse(text)
  checkShape(schema)
  const draft = draftNamed(typeof schema === 'boolean' ? undefined : schema['$schema'])
  if (draft === undefined) throw new InvalidScheme('$schema must name draft-07, 2019-09 or 2020-12')
  const problem = draft.problem(schema)
  if (problem !== undefined) throw new InvalidScheme(problem)
  const patterns = new Patterns()
  const validate = compileWith(draft.newInstance(patterns), schema)
  // An asynchronous validator returns a promise, which would count as "valid".
  if ('$async' in validate) throw new InvalidScheme('$async is not supported')
  const size = Buffer.byteLength(text) + textOfInstruction * patterns.instructions
  return { validate, size }
}

function parse(text: string): AnySchema {
  try {
    const schema: unknown = JSON.parse(text)
    if (isSchema(schema)) return schema
  } catch {
    // reported below: JSON that does not parse is not a schema either
  }
  throw new InvalidScheme('it must be a JSON object (or true or false), serialized as a string')
}

const isSchema = (value: unknown): value is AnySchema =>
  typeof value === 'boolean' ||
  (typeof value === 'object' && value !== null && !Array.isArray(value))

function compileWith(ajv: Ajv, schema: AnySchema): ValidateFunction {
  try {
    return ajv.compile(schema)
  } catch (error) {
    throw new InvalidScheme(error instanceof Error ? error.message : String(error))
  }
}
