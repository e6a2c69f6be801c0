import { linesType } from './lines-type.ts'
import { JsonLocation } from './location.ts'
import { numberRule, skipSpace } from './scan.ts'

/** The first mistake in a text that is not JSON. */
interface JsonFault {
  /** A sentence. It quotes nothing of the text except words such as NaN. */
  readonly what: string
  /** The keys and indices that lead there; '' at the outermost level. */
  readonly path: string
  /** The text_id of the list item that has the mistake. */
  readonly textId: string | undefined
  /** Counted from 0. */
  readonly byte: number
}

/** How many bytes to check after the parser has refused a text: some 50 ms. */
const maxBytes = 4 * 1024 * 1024
/** How many values, keys and commas to check. Each takes longer than a byte of a string. */
const maxSteps = 400_000
/** How many levels of nesting to check. */
const maxLevels = 512

const notJson = 'The body is not valid JSON'

/** What programs write for values that JSON lacks, and what JSON has instead. */
const foreignWords = new Map([
  ...['NaN', '-NaN', 'nan', '-nan', 'Infinity', '-Infinity', 'inf', '-inf', 'undefined'].map(
    (word) => [word, ''] as const,
  ),
  ['None', ', null is'],
  ['True', ', true is'],
  ['False', ', false is'],
])

/** Syntax of other languages, by its first character. */
const foreignSyntax = new Map([
  ["'", 'Single quotes are not JSON'],
  ['/', 'A comment is not JSON'],
  ['#', 'A comment is not JSON'],
])

const literals = ['true', 'false', 'null']
/** Matches what looks like a number or a literal. */
const wordRule = /[\w+.-]*/y
/** Matches the beginning of a value that is cut off. */
const beginning = /^(-?((0|[1-9]\d*)(\.|(\.\d+)?[eE][+-]?)?)?|tr?u?|fa?l?s?|nu?l?)$/
/** Matches part of a string. For a whole one, the expression would need too much memory. */
const stringPart = /(?:[ !#-[\]-\xff]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})){0,1000}/y
const cutEscape = /^\\(u[\dA-Fa-f]{0,3})?$/

/**
 * Finds what keeps a UTF-8 text from being JSON, in one pass.
 * @returns undefined if there is no mistake, or none within the limits
 */
export function findJsonFault(text: Uint8Array): JsonFault | undefined {
  const whole = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
  const bytes = whole.subarray(0, maxBytes)
  const fault = new FaultFinder(bytes).find()
  return fault?.byte === bytes.length && bytes.length < whole.length ? undefined : fault
}

class FaultFinder {
  readonly #bytes: Buffer
  /** One character for each byte. */
  readonly #text: string
  readonly #location: JsonLocation
  #at = 0
  #expected: 'value' | 'key' | 'next' = 'value'
  /** The position of the preceding comma, or `open` directly after an opening bracket. */
  #before: number | 'open' | undefined

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#text = bytes.toString('latin1')
    this.#location = new JsonLocation(bytes)
  }

  find(): JsonFault | undefined {
    if (this.#text.startsWith('\xef\xbb\xbf')) this.#at = 3
    for (let steps = 0; steps < maxSteps && this.#location.depth <= maxLevels; steps += 1) {
      this.#at = skipSpace(this.#bytes, this.#at)
      const next = this.#text[this.#at]
      if (next === undefined) {
        return this.#expected === 'next' && this.#location.depth === 0 ? undefined : this.#cutOff()
      }
      const fault = this.#step(next)
      if (fault !== undefined) return fault
    }
    return undefined
  }

  /** Reads the token that begins with this character. */
  #step(next: string): JsonFault | undefined {
    const before = this.#before
    this.#before = undefined
    if (next === this.#location.closing && (this.#expected === 'next' || before !== undefined)) {
      if (typeof before === 'number') {
        return this.#fault('A trailing comma is not JSON', before, true)
      }
      this.#location.close()
      this.#at += 1
      this.#expected = 'next'
      return undefined
    }
    if (this.#expected === 'next') return this.#comma(next)
    if (this.#expected === 'key') return this.#key(next)
    this.#expected = 'next'
    if (next === '[' || next === '{') return this.#open(next)
    return this.#scalar(next)
  }

  #comma(next: string): JsonFault | undefined {
    if (this.#location.depth === 0) return this.#fault(this.#rest(next))
    if (next !== ',') return this.#fault(this.#missing(next))
    this.#before = this.#at
    this.#at += 1
    this.#expected = this.#location.next() ? 'value' : 'key'
    return undefined
  }

  #open(next: string): undefined {
    this.#location.open(next === '[' ? ']' : '}')
    this.#at += 1
    this.#before = 'open'
    this.#expected = next === '[' ? 'value' : 'key'
  }

  #rest(next: string): string {
    const rest = `${notJson}, more follows behind its end`
    const isLine = next === '{' && '\n\r'.includes(this.#text[this.#at - 1] ?? ' ')
    return isLine ? `${rest}, as in lines of JSON, which an upload takes as ${linesType}` : rest
  }

  #missing(next: string): string {
    const syntax = next === "'" ? undefined : foreignSyntax.get(next)
    return syntax ?? `${notJson}, a comma or ${this.#location.closing} is missing`
  }

  #key(next: string): JsonFault | undefined {
    if (next !== '"') {
      const syntax = foreignSyntax.get(next)
      return this.#fault(syntax ?? `${notJson}, a key must be in double quotes`, this.#at, true)
    }
    const start = this.#at
    const fault = this.#string(true)
    if (fault !== undefined) return fault
    const end = this.#at
    this.#at = skipSpace(this.#bytes, this.#at)
    const behind = this.#text[this.#at]
    // Without a colon it may be a value, and a secret, so the path leaves it out.
    if (behind === undefined) return this.#cutOff(true)
    if (behind !== ':') return this.#fault(`${notJson}, a colon is missing`, this.#at, true)
    this.#location.key(start, end)
    this.#at += 1
    this.#expected = 'value'
    return undefined
  }

  #scalar(next: string): JsonFault | undefined {
    const start = this.#at
    if (next === '"') {
      const fault = this.#string(false)
      if (fault === undefined) this.#location.text(start, this.#at)
      return fault
    }
    const syntax = foreignSyntax.get(next)
    return syntax === undefined ? this.#word() : this.#fault(syntax)
  }

  /**
   * Reads a number or a literal. If it is neither, only known words are quoted: others may be
   * secret.
   */
  #word(): JsonFault | undefined {
    const start = this.#at
    const end = this.#endOf(wordRule, start)
    const word = this.#text.slice(start, end)
    if (numberRule.test(word) || literals.includes(word)) {
      this.#at = end
      return undefined
    }
    const literal = literals.find((each) => word.startsWith(each))
    if (literal !== undefined) return this.#fault(notJson, start + literal.length)
    const instead = foreignWords.get(word)
    if (instead !== undefined) return this.#fault(`${word} is not JSON${instead}`)
    if (end === this.#bytes.length && beginning.test(word)) return this.#cutOff()
    const isNumber = /^[-+.\d]/.test(word)
    return this.#fault(isNumber ? `${notJson}, a number is written differently` : notJson)
  }

  #string(isKey: boolean): JsonFault | undefined {
    let at = this.#at + 1
    for (let from = -1; from < at; ) [from, at] = [at, this.#endOf(stringPart, at)]
    const next = this.#text[at]
    if (next === '"') {
      this.#at = at + 1
      return undefined
    }
    if (next === undefined || cutEscape.test(this.#text.slice(at, at + 7))) {
      return this.#cutOff(isKey)
    }
    const what = next === '\\' ? 'an unknown escape' : 'a line break or another control character'
    return this.#fault(`${notJson}, a string holds ${what}`, at, isKey)
  }

  #endOf(rule: RegExp, at: number): number {
    rule.lastIndex = at
    return rule.test(this.#text) ? rule.lastIndex : at
  }

  #cutOff(isKey = false): JsonFault {
    return this.#fault(`${notJson}, it ends too early`, this.#bytes.length, isKey)
  }

  /** @param ofContainer whether the mistake belongs to no member or element of what is open */
  #fault(what: string, byte = this.#at, ofContainer = false): JsonFault {
    return {
      what,
      byte,
      path: this.#location.path(ofContainer),
      textId: this.#location.textId(byte),
    }
  }
}
