import { parseJson } from '../../json/parse.ts'
import { isNumberArray, type VectorElements } from '../../vectors/float32.ts'

/** A vector that came with a request: its elements, and a JSON array of them, which is pgvector's text form too. */
export class GivenVector {
  readonly elements: VectorElements
  readonly text: string

  constructor(elements: VectorElements, text = `[${elements.join()}]`) {
    this.elements = elements
    this.text = text
  }
}

/**
 * The JSON value of a body; in place of an array of numbers, its `vector` is a `GivenVector` with the text
 * as it came: printing the numbers again takes longer than reading them.
 * @throws 400 for what is not JSON
 */
export function parseVectorBody(bytes: Buffer): unknown {
  const value = parseJson(bytes)
  if (typeof value !== 'object' || value === null || !('vector' in value)) return value
  const { vector } = value
  if (!isNumberArray(vector)) return value
  return { ...value, vector: new GivenVector(vector, onlyArrayIn(bytes)) }
}

/** The text of an array of numbers in a JSON text where there is no other bracket that it could begin with. */
function onlyArrayIn(bytes: Buffer): string | undefined {
  const begin = bytes.indexOf('[')
  if (bytes.indexOf('[', begin + 1) !== -1) return undefined
  return bytes.toString('latin1', begin, bytes.indexOf(']', begin) + 1)
}
