import { Ajv, type AnySchema, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'
import { badRequest, unprocessable } from '../errors.ts'
import { withinBudget } from './time-budget.ts'

export const maxSchemeBytes = 64 * 1024
const maxCompiled = 100
const maxViolations = 20

/** What is wrong with one metadata object, a line for each violation; [] when nothing is. */
type MetadataValidator = (metadata: unknown) => string[]

// Strangers write these patterns: RE2 matches in linear time, whatever they are.
// Translated, since JSON Schema has the escapes of ECMAScript, such as \u0041.
const linearTime = Object.assign(
  (pattern: string) => RE2JS.compile(RE2JS.translateRegExp(pattern)),
  { code: 'RE2JS' },
)

const options: Options = {
  allErrors: true,
  strict: false,
  logger: false,
  validateFormats: false,
  // Else every object has a property `constructor`.
  ownProperties: true,
  code: { regExp: linearTime },
}

/** The drafts that `$schema` can name; without it draft-07. */
const drafts: readonly [pattern: RegExp, create: () => Ajv][] = [
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, () => new Ajv(options)],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, () => new Ajv2019(options)],
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, () => new Ajv2020(options)],
]

/** @throws 400 when the text is too long, 422 when it is not a valid JSON Schema */
export function checkScheme(scheme: string): void {
  validatorOf(scheme)
}

/** The first of several metadata objects that does not satisfy the scheme. */
export interface Violation {
  readonly index: number
  /** One for each thing that is wrong. */
  readonly lines: string[]
}

/**
 * Validates the metadata of a batch.
 * @returns the first bad one, or null
 * @throws 400 when it takes longer than a second: a costly scheme is to cost its owner only
 */
export function findViolation(scheme: string, batch: readonly unknown[]): Violation | null {
  const validator = validatorOf(scheme)
  const validateAll = () => {
    for (const [index, metadata] of batch.entries()) {
      const lines = validator(metadata)
      if (lines.length > 0) return { index, lines }
    }
    return null
  }
  return withinBudget(validateAll, (reason) =>
    badRequest(
      `Validating the metadata against the project's metadataScheme ${reason}; simplify the scheme or send smaller batches`,
    ),
  )
}

const compiled = new Map<string, MetadataValidator>()

/**
 * The validator of a project's metadataScheme. Compiling costs milliseconds, so the last ones used
 * are kept; each has an Ajv instance of its own, since schemas of two projects may share an `$id`.
 * @throws 400 or 422 as `checkScheme`
 */
function validatorOf(scheme: string): MetadataValidator {
  const validator = compiled.get(scheme) ?? compile(scheme)
  compiled.delete(scheme)
  compiled.set(scheme, validator)
  for (const oldest of compiled.keys()) {
    if (compiled.size <= maxCompiled) break
    compiled.delete(oldest)
  }
  return validator
}

function compile(scheme: string): MetadataValidator {
  if (Buffer.byteLength(scheme) > maxSchemeBytes) {
    throw badRequest(`metadataScheme: must have at most ${maxSchemeBytes} bytes`)
  }
  const schema = parse(scheme)
  const validate = withinBudget(
    () => compileWith(ajvFor(schema), schema),
    (reason) => invalid(`compiling it ${reason}`),
  )
  return (metadata) => violationsOf(validate, metadata)
}

function violationsOf(validate: ValidateFunction, metadata: unknown): string[] {
  try {
    return validate(metadata) ? [] : describe(validate.errors ?? [])
  } catch (error) {
    // Such as {"$ref": "#"}, which compiles.
    if (error instanceof RangeError) return ['(root) the schema refers to itself without end']
    throw error
  }
}

function parse(scheme: string): AnySchema {
  try {
    const schema: unknown = JSON.parse(scheme)
    if (isSchema(schema)) return schema
  } catch {
    // reported below: JSON that does not parse is no schema either
  }
  throw invalid('it must be a JSON object (or true or false), serialized as a string')
}

const isSchema = (value: unknown): value is AnySchema =>
  typeof value === 'boolean' ||
  (typeof value === 'object' && value !== null && !Array.isArray(value))

function ajvFor(schema: AnySchema): Ajv {
  const named = typeof schema === 'boolean' ? undefined : schema.$schema
  if (named === undefined) return new Ajv(options)
  const draft = drafts.find(([pattern]) => typeof named === 'string' && pattern.test(named))
  if (draft !== undefined) return draft[1]()
  throw invalid('$schema must name draft-07, 2019-09 or 2020-12')
}

function compileWith(ajv: Ajv, schema: AnySchema): ValidateFunction {
  try {
    const validate = ajv.compile(schema)
    // An asynchronous validator answers a promise, which would pass for "valid".
    if (!('$async' in validate)) return validate
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error))
  }
  throw invalid('$async is not supported')
}

const invalid = (reason: string) =>
  unprocessable(`metadataScheme is not a valid JSON Schema: ${reason.slice(0, 500)}`)

function describe(errors: readonly ErrorObject[]): string[] {
  const lines = errors.slice(0, maxViolations).map(describeError)
  if (errors.length > maxViolations) lines.push(`and ${errors.length - maxViolations} more`)
  return lines
}

function describeError({ instancePath, keyword, params, message = 'is not valid' }: ErrorObject) {
  const at = instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (keyword === 'required') return `${[...at, params['missingProperty']].join('.')} is required`
  if (keyword === 'additionalProperties') {
    return `${[...at, params['additionalProperty']].join('.')} is not an allowed property`
  }
  return `${at.join('.') || '(root)'} ${message}`
}
