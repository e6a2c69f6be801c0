// Helpers to read the bytes of JSON texts before or instead of parsing.

/** Copy these into constants of the reading module: V8 would load an import for every byte. */
export const jsonBytes = {
  quote: 0x22,
  backslash: 0x5c,
  comma: 0x2c,
  colon: 0x3a,
  lineFeed: 0x0a,
  openArray: 0x5b,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const
const { quote, backslash, lineFeed } = jsonBytes

/** White space in JSON. For most bytes the first comparison decides. */
export const isSpace = (byte: number): boolean =>
  byte <= 0x20 && (byte === 0x20 || byte === lineFeed || byte === 0x0d || byte === 0x09)

/** @returns the position of the next byte that is not white space */
export function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start
  while (isSpace(bytes[at] ?? 0)) at += 1
  return at
}

/**
 * @param start position of the opening quote
 * @returns the position after the string; after the text if the string does not end
 */
export function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1
  for (; at < bytes.length && bytes[at] !== quote; at += 1) if (bytes[at] === backslash) at += 1
  return at + 1
}

/** A number in JSON syntax. */
export const numberRule = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/
