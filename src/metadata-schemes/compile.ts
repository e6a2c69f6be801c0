import { Ajv, type AnySchema, type Options, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'
import { toRe2 } from './re2-syntax.ts'

/** The reason why a schema is rejected. */
export class InvalidScheme extends Error {}

const maxDepth = 32
const maxNodes = 1_000
/** RE2 instructions per schema. 50,000 occupy about 12 MB. */
const maxInstructions = 50_000
/** The memory of one instruction of a pattern, as an equivalent in bytes of schema text. */
const textOfInstruction = 6

const options: Options = {
  allErrors: true,
  strict: false,
  logger: false,
  validateFormats: false,
  // Without it, every object has a property `constructor`.
  ownProperties: true,
  // With inlining, a large definition would be copied to each place that refers to it.
  inlineRefs: false,
}

/**
 * A draft of JSON Schema. `meta` compiles its meta-schema once, which takes tens of milliseconds.
 * Each project's schema gets its own Ajv instance, because two schemas may have the same `$id`.
 */
const draft = (id: string, Version: typeof Ajv | typeof Ajv2019 | typeof Ajv2020) => ({
  id,
  Version,
  meta: new Version(options),
})
const draft07 = draft('http://json-schema.org/draft-07/schema', Ajv)
const drafts = [
  draft07,
  draft('https://json-schema.org/draft/2019-09/schema', Ajv2019),
  draft('https://json-schema.org/draft/2020-12/schema', Ajv2020),
]

/** Compiles the meta-schemas, so that the first user does not have to wait for it. */
export function prepareDrafts(): void {
  for (const { id, meta } of drafts) meta.getSchema(id)
}

/** @param name the value of `$schema`; undefined means draft-07 */
function draftNamed(name: unknown) {
  if (name === undefined) return draft07
  const same = (uri: string) => uri.replace(/^http:/, 'https:').replace(/#$/, '')
  const found = drafts.find(({ id }) => typeof name === 'string' && same(name) === same(id))
  if (found === undefined) throw new InvalidScheme('$schema must name draft-07, 2019-09 or 2020-12')
  return found
}

export interface CompiledScheme {
  readonly validate: ValidateFunction
  /** Proportional to the memory used, which is about 40 times as many bytes. */
  readonly size: number
}

/** @throws InvalidScheme */
export function compileScheme(text: string): CompiledScheme {
  const schema = parse(text)
  checkShape(schema)
  const { id, Version, meta } = draftNamed(
    typeof schema === 'boolean' ? undefined : schema['$schema'],
  )
  if (!meta.validate(id, schema)) {
    throw new InvalidScheme(meta.errorsText(meta.errors?.slice(0, 5), { dataVar: 'schema' }))
  }
  const patterns = new Patterns()
  const ajv = new Version({
    ...options,
    validateSchema: false,
    // Optimizing takes half of the compile time of a large schema, and V8 optimizes as well.
    code: { regExp: patterns.compiler, optimize: false },
  })
  const validate = compileWith(ajv, schema)
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

const isNode = (value: unknown): value is object => typeof value === 'object' && value !== null

const isSchema = (value: unknown): value is AnySchema =>
  typeof value === 'boolean' || (isNode(value) && !Array.isArray(value))

/** Rejects schemas that would be costly to compile, before any recursive code reads them. */
function checkShape(schema: AnySchema): void {
  let level = [schema].filter(isNode)
  let nodes = 0
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw new InvalidScheme(`it is nested deeper than ${maxDepth} levels`)
    nodes += level.length
    if (nodes > maxNodes) throw new InvalidScheme(`it has more than ${maxNodes} objects and arrays`)
    level = level.flatMap((node) => Object.values(node).filter(isNode))
  }
}

function compileWith(ajv: Ajv, schema: AnySchema): ValidateFunction {
  try {
    return ajv.compile(schema)
  } catch (error) {
    throw new InvalidScheme(error instanceof Error ? error.message : String(error))
  }
}

/**
 * Compiles the patterns of one schema. They are untrusted. RE2 matches any pattern in linear time,
 * but a short pattern can compile to a very large program.
 */
class Patterns {
  instructions = 0

  /**
   * The form that Ajv expects. It needs `code` only to generate standalone code, which is not done
   * here.
   */
  readonly compiler = Object.assign((pattern: string) => this.#compile(pattern), { code: 'RE2JS' })

  #compile(pattern: string): RE2JS {
    const compiled = RE2JS.compile(toRe2(pattern))
    this.instructions += compiled.programSize()
    if (this.instructions > maxInstructions) throw new InvalidScheme('its patterns are too large')
    return compiled
  }
}
