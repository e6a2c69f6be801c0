import { fixedWords, JsonPath } from './json-path.ts'
import { linesType } from './lines-type.ts'

/** The first thing in a text that is not JSON. */
export interface JsonFault {
  /** A sentence; of the text itself it quotes nothing but words such as NaN. */
  readonly what: string
  /** Keys and indices that lead there; '' at the outermost level. */
  readonly path: string
  /** Of the item of a list that it is in. */
  readonly textId: string | undefined
  /** Counted from 0. */
  readonly byte: number
}

/** How far is looked, once the parser has refused a text: some 50 ms. */
const mostBytes = 4 * 1024 * 1024
/** Values, keys and commas, of which each takes longer than a byte of a string. */
const mostSteps = 400_000
/** And how deep. */
const mostLevels = 512

const notJson = 'The body is not valid JSON'
const [quote, apostrophe, comma, colon] = [0x22, 0x27, 0x2c, 0x3a]
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Looks for what keeps a text in UTF-8 from being JSON, in one pass.
 * @returns undefined when there is nothing, or nothing as far as is looked
 */
export function findJsonFault(text: Uint8Array): JsonFault | undefined {
  const whole = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
  const bytes = whole.subarray(0, mostBytes)
  const fault = new FaultFinder(bytes).find()
  return fault?.byte === bytes.length && bytes.length < whole.length ? undefined : fault
}

class FaultFinder {
  readonly #bytes: Buffer
  readonly #path: JsonPath
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#path = new JsonPath(bytes)
  }

  find(): JsonFault | undefined {
    if (this.#bytes.indexOf('\ufeff') === 0) this.#at = 3
    let expected: 'value' | 'key' | 'next' = 'value'
    /** Of a comma before this place; `open` right behind an opening bracket. */
    let before: number | 'open' | undefined
    for (let steps = 0; steps < mostSteps; steps += 1) {
      this.#skipSpace()
      const byte = this.#bytes[this.#at]
      if (byte === undefined) {
        return expected === 'next' && this.#path.depth === 0 ? undefined : this.#cutOff()
      }
      const isEnd = byte === this.#path.closing
      if (isEnd && (expected === 'next' || before === 'open')) {
        this.#path.close()
        this.#at += 1
        expected = 'next'
      } else if (isEnd && before !== undefined && before !== 'open') {
        return this.#fault('A trailing comma is not JSON', before, true)
      } else if (expected === 'next') {
        if (this.#path.depth === 0) return this.#fault(this.#rest(byte))
        if (byte !== comma) return this.#fault(this.#missing(byte))
        before = this.#at
        this.#at += 1
        expected = this.#path.next() ? 'value' : 'key'
        continue
      } else if (expected === 'key') {
        const fault = this.#key(byte)
        if (fault !== undefined) return fault
        expected = 'value'
      } else if (byte === openArray || byte === openObject) {
        if (this.#path.depth === mostLevels) return undefined
        this.#path.open(byte === openArray ? closeArray : closeObject)
        this.#at += 1
        before = 'open'
        expected = byte === openArray ? 'value' : 'key'
        continue
      } else {
        const fault = this.#scalar(byte)
        if (fault !== undefined) return fault
        expected = 'next'
      }
      before = undefined
    }
    return undefined
  }

  #rest(byte: number): string {
    const rest = `${notJson}, more follows behind its end`
    const isLine = byte === openObject && isLineBreak(this.#bytes[this.#at - 1])
    return isLine ? `${rest}, as in lines of JSON, which an upload takes as ${linesType}` : rest
  }

  #missing(byte: number): string {
    if (isComment(byte)) return 'A comment is not JSON'
    const close = String.fromCharCode(this.#path.closing)
    return `${notJson}, a comma or ${close} is missing`
  }

  #key(byte: number): JsonFault | undefined {
    if (byte === apostrophe) return this.#fault('Single quotes are not JSON', this.#at, true)
    if (isComment(byte)) return this.#fault('A comment is not JSON', this.#at, true)
    if (byte !== quote)
      return this.#fault(`${notJson}, a key must be in double quotes`, this.#at, true)
    const start = this.#at
    const fault = this.#string(true)
    if (fault !== undefined) return fault
    const end = this.#at
    this.#skipSpace()
    const next = this.#bytes[this.#at]
    // Without a colon it may be a value, and a secret.
    if (next === undefined) return this.#cutOff(true)
    if (next !== colon) return this.#fault(`${notJson}, a colon is missing`, this.#at, true)
    this.#path.key(start, end)
    this.#at += 1
    return undefined
  }

  #scalar(byte: number): JsonFault | undefined {
    const start = this.#at
    if (byte === quote) {
      const fault = this.#string(false)
      if (fault === undefined) this.#path.text(start, this.#at)
      return fault
    }
    if (byte === 0x74) return this.#literal('true')
    if (byte === 0x66) return this.#literal('false')
    if (byte === 0x6e) return this.#literal('null')
    if (byte === apostrophe) return this.#fault('Single quotes are not JSON')
    if (isComment(byte)) return this.#fault('A comment is not JSON')
    return this.#number()
  }

  #literal(word: string): JsonFault | undefined {
    const { length } = word
    if (this.#bytes.toString('latin1', this.#at, this.#at + length) !== word) return this.#word()
    this.#at += length
    return isWordByte(this.#bytes[this.#at] ?? 0) ? this.#fault(notJson) : undefined
  }

  #number(): JsonFault | undefined {
    const bytes = this.#bytes
    const first = bytes[this.#at] === 0x2d ? this.#at + 1 : this.#at
    let end = bytes[first] === 0x30 ? first + 1 : endOfDigits(bytes, first)
    if (bytes[end] === 0x2e) end = endOfDigits(bytes, end + 1)
    if (end !== -1 && ((bytes[end] ?? 0) | 0x20) === 0x65) {
      const sign = bytes[end + 1]
      end = endOfDigits(bytes, end + (sign === 0x2b || sign === 0x2d ? 2 : 1))
    }
    if (end === -1 || isWordByte(bytes[end] ?? 0)) return this.#word()
    this.#at = end
    return undefined
  }

  /** What stands where a value should be: only known words are quoted, all else may be a secret. */
  #word(): JsonFault {
    const start = this.#at
    let end = start
    while (isWordByte(this.#bytes[end] ?? 0) && end - start < 40) end += 1
    const word = this.#bytes.toString('latin1', start, end)
    const instead = fixedWords.get(word)
    if (instead !== undefined) return this.#fault(`${word} is not JSON${instead}`)
    if (end === this.#bytes.length && beginning.test(word)) return this.#cutOff()
    const isNumber = /^[-+.\d]/.test(word)
    return this.#fault(isNumber ? `${notJson}, a number is written differently` : notJson)
  }

  #string(isKey: boolean): JsonFault | undefined {
    const bytes = this.#bytes
    let at = this.#at + 1
    for (; ; at += 1) {
      const byte = bytes[at]
      if (byte === undefined) return this.#cutOff(isKey)
      if (byte === quote) break
      if (byte < 0x20) {
        const what = `${notJson}, a string holds a line break or another control character`
        return this.#fault(what, at, isKey)
      }
      if (byte === 0x5c) {
        const length = lengthOfEscape(bytes, at + 1)
        if (length === 0) return this.#escape(at, isKey)
        at += length
      }
    }
    this.#at = at + 1
    return undefined
  }

  /** One that is cut off, or that nobody knows. */
  #escape(at: number, isKey: boolean): JsonFault {
    const rest = this.#bytes.toString('latin1', at + 1, at + 6)
    const isCut = at + 1 + rest.length === this.#bytes.length && /^(u[\dA-Fa-f]{0,3})?$/.test(rest)
    if (isCut) return this.#cutOff(isKey)
    return this.#fault(`${notJson}, a string holds an unknown escape`, at, isKey)
  }

  #skipSpace(): void {
    const bytes = this.#bytes
    let at = this.#at
    for (let byte = bytes[at]; isSpace(byte); byte = bytes[at]) at += 1
    this.#at = at
  }

  #cutOff(isKey = false): JsonFault {
    return this.#fault(`${notJson}, it ends too early`, this.#bytes.length, isKey)
  }

  /** @param ofContainer whether it is in no member or element of what is open */
  #fault(what: string, byte = this.#at, ofContainer = false): JsonFault {
    return { what, byte, path: this.#path.print(ofContainer), textId: this.#path.textId(byte) }
  }
}

/** Of what a value may go on to be. */
const beginning = /^(-?((0|[1-9]\d*)(\.|(\.\d+)?[eE][+-]?)?)?|tr?u?|fa?l?s?|nu?l?)$/

const shortEscapes = Buffer.from('"\\/bfnrt')
/** Without its backslash; 0 when it is none. Byte by byte: a text may consist of them. */
function lengthOfEscape(bytes: Buffer, at: number): number {
  if (bytes[at] !== 0x75) return shortEscapes.includes(bytes[at] ?? 0) ? 1 : 0
  for (let digit = 1; digit <= 4; digit += 1) if (!isHex(bytes[at + digit] ?? 0)) return 0
  return 5
}
const isHex = (byte: number) => isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)

const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
const isLineBreak = (byte: number | undefined) => byte === 0x0a || byte === 0x0d
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39
/** @returns -1 where there are none */
function endOfDigits(bytes: Buffer, start: number): number {
  let at = start
  while (isDigit(bytes[at] ?? 0)) at += 1
  return at > start ? at : -1
}
/** A letter, a digit, or one of + - . _ */
const isWordByte = (byte: number) =>
  isDigit(byte) ||
  ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a) ||
  byte === 0x2b ||
  byte === 0x2d ||
  byte === 0x2e ||
  byte === 0x5f
const isComment = (byte: number) => byte === 0x2f || byte === 0x23
