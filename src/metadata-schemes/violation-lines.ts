import type { ErrorObject, ValidateFunction } from 'ajv'

const maxLines = 20
const maxLength = 200

/**
 * What is wrong with a value, a line for each thing; [] when nothing is. Bounded in number and
 * length: the names in them are the client's.
 */
export function violationLines(validate: ValidateFunction, value: unknown): string[] {
  try {
    if (validate(value)) return []
  } catch (error) {
    // Such as {"$ref": "#"}, which compiles.
    if (error instanceof RangeError) return ['(root) the schema refers to itself without end']
    throw error
  }
  const errors = validate.errors ?? []
  // Else the cached validator would keep millions of them.
  validate.errors = null
  const lines = errors.slice(0, maxLines).map((error) => shortened(describe(error)))
  if (errors.length > maxLines) lines.push(`and ${errors.length - maxLines} more`)
  return lines
}

const shortened = (line: string) =>
  line.length <= maxLength ? line : `${line.slice(0, maxLength).toWellFormed()}…`

function describe({ instancePath, keyword, params, message = 'is not valid' }: ErrorObject) {
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
