import { z } from 'zod'

/** What a setting is to the command line and to the documentation, beside the schema of its value. */
interface Declaration {
  readonly env: string
  readonly flag?: string
  readonly alias?: string
  /** Whether the file that holds it can be named instead, in the environment and in .env. */
  readonly isSecret?: true
  readonly help: string
  /** In words, where the schema has no default. */
  readonly default?: string
  /** The value in .env.example, where the default is in words; empty if not given. */
  readonly example?: string
}

/** A setting as the command line and the documentation show it. */
export interface SettingInfo extends Declaration {
  readonly type: 'string' | 'boolean'
  readonly default: string
  readonly example: string
}

/** From the text that was given, or nothing, to the value. */
type Schema = z.ZodType<unknown, string | undefined>

const declarations = z.registry<Declaration>()

/** Declares a setting. The schema must not be that of another one. */
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
