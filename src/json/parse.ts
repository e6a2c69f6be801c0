import { isUtf8 } from 'node:buffer'
import { badRequest, type ServiceError } from '../errors.ts'
import { findJsonFault } from './fault.ts'
import { endOfString, jsonBytes } from './scan.ts'

const { quote, comma, openArray, openObject } = jsonBytes
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * How many values (members of objects, elements of arrays, objects and arrays) a text may hold that
 * is parsed as a whole. This is enough for the longest list of text_ids with digests. The parser
 * takes 15 ms or less for so many, and up to 100 bytes for each.
 */
export const maxValues = 50_000

/**
 * Parses a JSON text in UTF-8.
 * @param most how many values it may hold
 * @throws 400 if it is not JSON, saying what is wrong and where, or if it holds more values
 */
export function parseJson(bytes: Uint8Array, most = maxValues): unknown {
  if (holdsMore(bytes, most)) {
    throw badRequest(
      `The body may hold ${most} values (members, elements, objects and arrays), and holds more`,
    )
  }
  try {
    return parseText(bytes)
  } catch {
    // The parser's own message quotes the body, which may hold a secret.
    throw refusalOf(bytes)
  }
}

/** @throws SyntaxError or TypeError if the bytes are not JSON in UTF-8 */
export const parseText = (bytes: Uint8Array): unknown => JSON.parse(utf8.decode(bytes))

/**
 * Explains why a text is not JSON.
 * @param byteAsSent converts a position in this text to that in the client's text
 */
export function refusalOf(
  bytes: Uint8Array,
  byteAsSent: (byte: number) => number = (byte) => byte,
): ServiceError {
  const fault = isUtf8(bytes) ? findJsonFault(bytes) : undefined
  if (fault === undefined) return badRequest('The body is not valid JSON')
  const { what, path, textId, byte } = fault
  const where = [
    ...(path === '' ? [] : [path]),
    ...(textId === undefined ? [] : [`text_id '${textId}'`]),
    `byte ${byteAsSent(byte).toLocaleString('en-US')}`,
  ]
  return badRequest(`${what}: ${where.join(', ')}`)
}

/** Whether a JSON value is an object, and no array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Counts before parsing, because millions of values take the parser seconds and gigabytes. */
export function holdsMore(bytes: Uint8Array, most: number): boolean {
  // Each value except the first has a comma or a bracket before it.
  if (bytes.length <= most) return false
  let values = 0
  for (let at = 0; at < bytes.length && values <= most; at += 1) {
    const byte = bytes[at] ?? 0
    // Skips digits, points and signs, which are most of the bytes.
    if (byte > comma && byte < openArray) continue
    if (byte === comma || byte === openObject || byte === openArray) values += 1
    else if (byte === quote) at = endOfString(bytes, at) - 1
  }
  return values > most
}
