import type { ErrorObject, ValidateFunction } from 'ajv'

const maxLines = 20
const maxLength = 200

/**
 * Describes the errors of a value, one per line; [] if it is valid. Their number and length are
 * limited, because they contain names from the client.
 */
export function violationLines(validate: ValidateFunction, value: unknown): string[] {
  try {
    if (validate(value)) return []
  } catch (error) {
    // For example {"$ref": "#"}, which compiles.
    if (error instanceof RangeError) return ['(root) the schema refers to itself without end']
    throw error
  }
  const errors = validate.errors ?? []
  // The cached validator would otherwise keep them, possibly millions.
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
