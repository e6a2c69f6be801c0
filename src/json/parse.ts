import { badRequest } from '../errors.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The value of a JSON text in UTF-8.
 * @param positionAsSent where in the text of the client a position of this text was
 * @throws 400 for what is not JSON
 */
export function parseJson(
  bytes: Uint8Array,
  positionAsSent: (position: number, text: string) => number = (position) => position,
): unknown {
  const text = decode(bytes)
  try {
    return JSON.parse(text)
  } catch (error) {
    // The parser's message quotes the body, which may hold a secret: only its position is passed on.
    const position = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(String(error))?.[1]
    if (position === undefined) throw badRequest('The body is not valid JSON')
    const sent = positionAsSent(Number(position), text)
    throw badRequest(`The body is not valid JSON (at position ${sent})`)
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw badRequest('The body is not valid JSON')
  }
}
