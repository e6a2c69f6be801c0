import { parseJson } from '../../json/parse.ts'
import { isNumberArray, type VectorElements } from '../../vectors/float32.ts'

/**
 * A vector from a request: its elements, and a JSON array of them, which pgvector can read as well.
 */
export class GivenVector {
  readonly elements: VectorElements
  readonly text: string

  constructor(elements: VectorElements, text = `[${elements.join()}]`) {
    this.elements = elements
    this.text = text
  }
}

/**
 * Parses a JSON body. If its `vector` is an array of numbers, it becomes a `GivenVector` that keeps
 * the text as sent, because printing the numbers again takes longer than reading them.
 * @throws 400 if the body is not JSON
 */
export function parseVectorBody(bytes: Buffer): unknown {
  const value = parseJson(bytes)
  if (typeof value !== 'object' || value === null || !('vector' in value)) return value
  const { vector } = value
  if (!isNumberArray(vector)) return value
  return { ...value, vector: new GivenVector(vector, onlyArrayIn(bytes)) }
}

/**
 * The text of an array of numbers in a JSON text; undefined if another opening bracket makes it
 * unclear where the array begins.
 */
function onlyArrayIn(bytes: Buffer): string | undefined {
  const begin = bytes.indexOf('[')
  if (bytes.indexOf('[', begin + 1) !== -1) return undefined
  return bytes.toString('latin1', begin, bytes.indexOf(']', begin) + 1)
}
