import { z } from 'zod'

/** How the command line and the documentation show a setting. Its schema describes the value. */
interface Declaration {
  readonly env: string
  readonly flag?: string
  readonly alias?: string
  /** Whether a file that holds it can be named instead, in the environment and in .env. */
  readonly isSecret?: true
  readonly help: string
  /** In words, if the schema has no default. */
  readonly default?: string
  /** The value in .env.example, if the default is in words; empty if not given. */
  readonly example?: string
}

/** A declared setting with the defaults that its schema gives. */
export interface SettingInfo extends Declaration {
  readonly type: 'string' | 'boolean'
  readonly default: string
  readonly example: string
}

/** Turns the given text, or undefined, into the value. */
type Schema = z.ZodType<unknown, string | undefined>

const declarations = z.registry<Declaration>()

/** Declares a setting. Each setting must have a schema of its own. */
export function setting<Value extends Schema>(schema: Value, declaration: Declaration): Value {
  declarations.add(schema, declaration)
  return schema
}

export function infoOf(schema: Schema): SettingInfo {
  const declaration = declarations.get(schema)
  if (declaration === undefined) throw new TypeError('a setting must be declared with setting()')
  const value = schema.parse(undefined)
  return {
    default: String(value),
    example: value === undefined ? '' : String(value),
    type: typeof value === 'boolean' ? 'boolean' : 'string',
    ...declaration,
  }
}

export const switchValue = z.stringbool({ error: 'must be true or false' })

export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number between ${min} and ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`)
