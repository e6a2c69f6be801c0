import { Ajv, type AnySchema, type Options } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Patterns } from './patterns.ts'

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
 * A draft of JSON Schema. Its meta-schema is compiled once, which takes tens of milliseconds. Each
 * project's schema gets its own Ajv instance, because two schemas may have the same `$id`.
 */
class Draft {
  readonly name: RegExp
  readonly #id: string
  readonly #Version: typeof Ajv | typeof Ajv2019 | typeof Ajv2020
  readonly #meta: Ajv

  /**
   * @param name matches the values of `$schema` for this draft
   * @param id of the draft's meta-schema
   */
  constructor(name: RegExp, id: string, Version: typeof Ajv | typeof Ajv2019 | typeof Ajv2020) {
    this.name = name
    this.#id = id
    this.#Version = Version
    this.#meta = new Version(options)
  }

  /** Compiles the meta-schema, so that the first user does not have to wait for it. */
  prepare(): void {
    this.#meta.getSchema(this.#id)
  }

  /** @returns why the schema is not valid in this draft */
  problem(schema: AnySchema): string | undefined {
    if (this.#meta.validate(this.#id, schema)) return undefined
    return this.#meta.errorsText(this.#meta.errors?.slice(0, 5), { dataVar: 'schema' })
  }

  newInstance(patterns: Patterns): Ajv {
    return new this.#Version({
      ...options,
      validateSchema: false,
      // Optimizing takes half of the compile time of a large schema, and V8 optimizes as well.
      code: { regExp: patterns.compiler, optimize: false },
    })
  }
}

const draft07 = new Draft(
  /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/,
  'http://json-schema.org/draft-07/schema',
  Ajv,
)
const drafts = [
  draft07,
  new Draft(
    /^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/,
    'https://json-schema.org/draft/2019-09/schema',
    Ajv2019,
  ),
  new Draft(
    /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/,
    'https://json-schema.org/draft/2020-12/schema',
    Ajv2020,
  ),
]

/** @param name the value of `$schema`; undefined means draft-07 */
export function draftNamed(name: unknown): Draft | undefined {
  if (name === undefined) return draft07
  return drafts.find((draft) => typeof name === 'string' && draft.name.test(name))
}

export function prepareDrafts(): void {
  for (const draft of drafts) draft.prepare()
}
