import { isStorable } from '../../db/storable.ts'
import { isObject, metadataText } from '../../embeddings/metadata.ts'
import { maxTextBytes, maxTextId } from '../../embeddings/schemas.ts'
import { vectorFromBase64 } from '../../vectors/encoding.ts'
import { toFloat32 } from '../../vectors/float32.ts'

/** A line, or a row, of a file, as far as it could be read. */
export type ImportRow = { readonly line: number } & (
  | { readonly value: unknown }
  | { readonly problem: string }
)

/** An embedding that can be sent. */
export interface Item {
  readonly line: number
  readonly text_id: string
  readonly vector: Float32Array
  readonly text?: string
  readonly metadata?: object
  readonly instance_handle?: string
}

interface Expected {
  readonly length: number
  readonly of: string
}

/** What the service shows of an embedding, and does not take. */
const shownOnly = ['vector_dim', 'created_at', 'project_id', 'user_handle', 'project_handle']
const known = new Set(['text_id', 'vector', 'text', 'metadata', 'instance_handle', ...shownOnly])

/**
 * By the rules of the service.
 * @param expected how long the vector has to be, and who says so
 * @param ignored gets the names of fields that mean nothing
 * @returns the item, or what is wrong with it
 */
export function toItem(
  row: ImportRow,
  expected: Expected | undefined,
  ignored: Set<string>,
): Item | string {
  if ('problem' in row) return row.problem
  const { value, line } = row
  if (!isObject(value)) return 'it is no JSON object'
  for (const name of Object.keys(value)) {
    if (!known.has(name) && ignored.size < 20) ignored.add(name)
  }
  const { text_id, text, metadata, instance_handle, vector_dim } = value
  const idProblem = textIdProblem(text_id)
  if (typeof text_id !== 'string' || idProblem !== undefined) return `text_id ${idProblem}`
  const wrong = (problem: string) => `${problem} (text_id '${text_id}')`
  const vector = vectorOf(value['vector'])
  if (typeof vector === 'string') return wrong(`vector: ${vector}`)
  const declared = typeof vector_dim === 'number' ? { length: vector_dim, of: 'vector_dim' } : null
  const wanted = expected ?? declared
  if (wanted !== null && vector.length !== wanted.length) {
    return wrong(`the vector has ${vector.length} elements, not ${wanted.length} as ${wanted.of}`)
  }
  if (text !== undefined && text !== null && !isText(text)) {
    return wrong(`text must be a string of at most 1 MiB, without NUL and lone surrogates`)
  }
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) {
    return wrong('metadata must be an object')
  }
  const printed = isObject(metadata) ? metadataText(metadata) : undefined
  if (printed !== undefined && 'problem' in printed) return wrong(`metadata ${printed.problem}`)
  return {
    line,
    text_id,
    vector,
    ...(isText(text) && { text }),
    ...(isObject(metadata) && { metadata }),
    ...(typeof instance_handle === 'string' && { instance_handle }),
  }
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && Buffer.byteLength(value) <= maxTextBytes && isStorable(value)

function textIdProblem(value: unknown): string | undefined {
  if (value === undefined) return 'is missing'
  if (typeof value !== 'string') return 'must be a string'
  const { length } = [...value.slice(0, 2 * maxTextId + 2)]
  if (length === 0 || length > maxTextId) return `must have 1 to ${maxTextId} characters`
  return isStorable(value) ? undefined : 'must be without NUL and lone surrogates'
}

function vectorOf(value: unknown): Float32Array | string {
  if (value === undefined || value === null) return 'is missing'
  if (value instanceof Float32Array) return toFloat32(value)
  if (typeof value === 'string') {
    const vector = vectorFromBase64(value)
    return vector === undefined ? 'is no base64 of little-endian float32' : toFloat32(vector)
  }
  if (!Array.isArray(value)) return 'must be an array of numbers'
  const odd = value.findIndex((element) => typeof element !== 'number')
  return odd === -1 ? toFloat32(value) : `element ${odd} is no number`
}
