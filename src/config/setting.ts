import { z } from 'zod'

/** How the command line and the documentation show a setting. Its schema describes the value. */
interface Declaration {
  /** In the environment; otherwise `SERVICE_` and the setting's own name. */
  readonly env?: string
  /** Other users of the machine can see flags. */
  readonly hasFlag?: false
  readonly alias?: string
  /** Whether a file that holds it can be named instead, in the environment and in .env. */
  readonly isSecret?: true
  readonly help: string
  /** In words, if the schema has no default. */
  readonly default?: string
  /** The value in .env.example, if the default is in words; empty if not given. */
  readonly example?: string
}

/** A declared setting with its names, and the defaults that its schema gives. */
export interface SettingInfo extends Declaration {
  readonly env: string
  readonly flag?: string
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

/** What the table of settings says about each of these, by the same names. */
export const infosOf = (schemas: Readonly<Record<string, Schema>>) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, infoOf(name, schema)]))

function infoOf(name: string, schema: Schema): SettingInfo {
  const declaration = declarations.get(schema)
  if (declaration === undefined) throw new TypeError('a setting must be declared with setting()')
  const value = schema.parse(undefined)
  const kebab = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return {
    env: `SERVICE_${name.toUpperCase()}`,
    default: String(value),
    example: value === undefined ? '' : String(value),
    type: typeof value === 'boolean' ? 'boolean' : 'string',
    ...declaration,
    ...(declaration.hasFlag !== false && { flag: kebab }),
  }
}

export const switchValue = z.stringbool({ error: 'must be true or false' })

export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number between ${min} and ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`)
