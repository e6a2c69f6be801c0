import { badRequest, type ServiceError } from '../errors.ts'
import { findJsonFault } from './fault.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The value of a JSON text in UTF-8.
 * @param byteAsSent where in the text of the client a byte of this text was
 * @throws 400 for what is not JSON, saying what stands where
 */
export function parseJson(
  bytes: Uint8Array,
  byteAsSent: (byte: number) => number = (byte) => byte,
): unknown {
  const text = decode(bytes)
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the body, which may hold a secret.
    throw refusal(bytes, byteAsSent)
  }
}

function refusal(bytes: Uint8Array, byteAsSent: (byte: number) => number): ServiceError {
  const fault = findJsonFault(bytes)
  if (fault === undefined) return badRequest('The body is not valid JSON')
  const { what, path, textId, byte } = fault
  const where = [
    ...(path === '' ? [] : [path]),
    ...(textId === undefined ? [] : [`text_id '${textId}'`]),
    `byte ${byteAsSent(byte).toLocaleString('en-US')}`,
  ]
  return badRequest(`${what}: ${where.join(', ')}`)
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw badRequest('The body is not valid JSON')
  }
}
