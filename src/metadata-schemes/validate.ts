import { createHash } from 'node:crypto'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { LRUCache } from 'lru-cache'
import { jsonBytes } from '../json/scan.ts'
import { type CompiledScheme, compileScheme, InvalidScheme } from './compile.ts'

/** A request to the thread that validates metadata. */
export interface SchemeRequest {
  readonly scheme: string
  /** The metadata as one JSON text per line. No lines check only the schema. */
  readonly lines: Uint8Array<ArrayBuffer>
  /** The number of violations after which validation stops. */
  readonly maxViolations: number
}

/** The result and the processor time in milliseconds. */
export type SchemeReply = Outcome & { readonly cpuMs: number }

/** The reason why the schema is rejected, or the violations it finds. */
export type Outcome = { readonly invalid: string } | { readonly violations: SchemeViolation[] }

/** An item of a batch that violates the schema. */
export interface SchemeViolation {
  /** Its position in the batch, from 0. */
  readonly index: number
  /** The errors, one per line. */
  readonly lines: string[]
}

const maxLines = 20
const maxLength = 200
const maxUsedHeap = 64 * 1024 * 1024

/** The most recently used validators, by the hash of their schema. */
const compiled = new LRUCache<string, CompiledScheme>({
  max: 200,
  maxSize: 1024 * 1024,
  sizeCalculation: ({ size }) => size,
})

/**
 * Validates JSON texts, one per line, with a schema. Without texts, it only checks the schema.
 * @param maxViolations stops after this many violations
 */
export function validateLines(scheme: string, texts: Buffer, maxViolations: number): Outcome {
  try {
    const validate = validatorOf(scheme)
    const violations: SchemeViolation[] = []
    let start = 0
    for (let index = 0; start < texts.length && violations.length < maxViolations; index += 1) {
      const feed = texts.indexOf(jsonBytes.lineFeed, start)
      const end = feed === -1 ? texts.length : feed
      const lines = violationLines(validate, JSON.parse(texts.toString('utf8', start, end)))
      if (lines.length > 0) violations.push({ index, lines })
      start = end + 1
    }
    return { violations }
  } catch (error) {
    if (error instanceof InvalidScheme) return { invalid: error.message }
    throw error
  }
}

/** @throws InvalidScheme */
function validatorOf(scheme: string): ValidateFunction {
  const key = createHash('sha256').update(scheme).digest('base64')
  const entry = compiled.get(key) ?? compileScheme(scheme)
  compiled.set(key, entry)
  return entry.validate
}

/**
 * Forgets all validators when the heap is half full: their inner functions keep the violations that
 * they found last, which may be hundreds of thousands if somebody tries to fill the heap.
 */
export function limitHeap(): void {
  if (process.memoryUsage().heapUsed > maxUsedHeap) compiled.clear()
}

/**
 * Describes the errors of a value, one per line; [] if it is valid. Their number and length are
 * limited, because they contain names from the client.
 */
function violationLines(validate: ValidateFunction, value: unknown): string[] {
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
  const keys = instancePath.split('/').slice(1)
  const path = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (keyword === 'required') return `${[...path, params['missingProperty']].join('.')} is required`
  if (keyword === 'additionalProperties') {
    return `${[...path, params['additionalProperty']].join('.')} is not an allowed property`
  }
  return `${path.join('.') || '(root)'} ${message}`
}
