// The bytes of JSON texts, for whatever reads them before or instead of the parser. jsonc-parser's scanner
// would not do: it reads 01 as two numbers, and says neither bytes nor where in a string an escape is wrong.

/** To be taken into constants of the module that reads: V8 would load what is imported for each byte. */
export const jsonBytes = {
  ...{ quote: 0x22, backslash: 0x5c, comma: 0x2c, colon: 0x3a, lineFeed: 0x0a },
  ...{ openArray: 0x5b, closeArray: 0x5d, openObject: 0x7b, closeObject: 0x7d },
} as const
const { quote, backslash, lineFeed } = jsonBytes

/** White space of JSON; of most bytes the first comparison tells. */
export const isSpace = (byte: number): boolean =>
  byte <= 0x20 && (byte === 0x20 || byte === lineFeed || byte === 0x0d || byte === 0x09)

/** @returns where the next byte is that is no white space */
export function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start
  while (isSpace(bytes[at] ?? 0)) at += 1
  return at
}

/**
 * @param start where its first quote is
 * @returns where the next byte is behind a string; behind the text where it does not end
 */
export function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1
  for (; at < bytes.length && bytes[at] !== quote; at += 1) if (bytes[at] === backslash) at += 1
  return at + 1
}

/** A number, as JSON writes it. */
export const numberRule = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/
