import { badRequest } from '../../errors.ts'
import { parseJson } from '../../json/parse.ts'
import { maxContainers, placeholder, type Split } from './split.ts'

/**
 * The value of a JSON text that was split.
 * @throws 400 for what is not JSON, or holds too much of it
 */
export function jsonValue(split: Split): unknown {
  if (split.containers > maxContainers) {
    throw badRequest(`The body holds more than ${maxContainers} objects and arrays`)
  }
  const value = parseJson(split.skeleton, (byte) => byteAsSent(byte, split))
  if (split.spans.length > 0) putBack(value, split)
  return value
}

/** Placeholders are not as long as the vectors were that the client sent. */
function byteAsSent(byte: number, { skeleton, mark, spans }: Split): number {
  const bytes = Buffer.from(skeleton.buffer, skeleton.byteOffset, byte)
  let sent = byte
  let from = 0
  for (const [index, { start, end }] of spans.entries()) {
    const held = placeholder(mark, index)
    const at = bytes.indexOf(held, from, 'latin1')
    if (at === -1) break
    from = at + held.length
    sent += end - start - held.length
  }
  return sent
}

function putBack(root: unknown, { mark, spans, floats }: Split): void {
  const vectors = new Map<unknown, Float32Array>()
  let from = 0
  for (const [index, { length }] of spans.entries()) {
    vectors.set(`${mark}${index}`, floats.subarray(from, from + length))
    from += length
  }
  if (!isContainer(root)) return
  for (const list of Object.values(root)) {
    const items: unknown[] = Array.isArray(list) ? list : []
    for (const item of items) {
      if (!isContainer(item)) continue
      const vector = vectors.get(Reflect.get(item, 'vector'))
      if (vector !== undefined) Reflect.set(item, 'vector', vector)
    }
  }
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null
