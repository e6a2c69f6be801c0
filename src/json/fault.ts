import { linesType } from './lines-type.ts'
import { endOfString, numberRule, skipSpace } from './scan.ts'

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

/** An object or array that is open. */
interface Level {
  readonly closing: string
  index: number
  /** The token of the key whose value is read. */
  key?: string | undefined
  textId?: string
}

/** How much to check after the parser has refused a text: some 50 ms. */
const maxBytes = 4 * 1024 * 1024
const maxTokens = 200_000
/** How many levels of a path, and how much of a key and of a text_id, are shown. */
const shown = { levels: 32, key: 100, textId: 300 }

const notJson = 'The body is not valid JSON'
const tooEarly = `${notJson}, it ends too early`
const moreFollows = `${notJson}, more follows behind its end`
const asLines = `, as in lines of JSON, which an upload takes as ${linesType}`
/** What programs write for values that JSON lacks, and what JSON has instead. */
const foreignNumber = /^(-?(NaN|nan|Infinity|inf)|undefined)$/
const pythonWords = new Map(Object.entries({ None: 'null', True: 'true', False: 'false' }))
const literals = ['true', 'false', 'null']
/** Matches the beginning of a number that is cut off. */
const begunNumber = /^-?((0|[1-9]\d*)(\.|(\.\d+)?[eE][+-]?)?)?$/
/** Matches what looks like a number or a literal. */
const wordRule = /[\w+.-]*/y
/** Matches a text_id that follows in the same object. */
const textIdBehind = /^[^{}]*"text_id"\s*:\s*("(?:[^"\\]|\\.){0,2000}")/

/**
 * Finds what keeps a UTF-8 text from being JSON. No parser is used for it: those that name the
 * place of a mistake take a second for a hostile text of this length.
 * @returns undefined if there is no mistake, or none within the limits
 */
export function findJsonFault(bytes: Uint8Array): JsonFault | undefined {
  // One character for each byte.
  const text = Buffer.from(bytes.subarray(0, maxBytes)).toString('latin1')
  const levels: Level[] = []
  let before = ''
  let at = text.startsWith('\xef\xbb\xbf') ? 3 : 0
  for (let tokens = 0; tokens < maxTokens; tokens += 1) {
    at = skipSpace(bytes, at)
    const end = text[at] === '"' ? endOfString(bytes, at) : Math.max(at + 1, endOfWord(text, at))
    const token = text.slice(at, end)
    if (token === '' && before === 'value' && levels.length === 0) return undefined
    const what = mistakeIn(token, before, levels.at(-1), end >= text.length)
    if (what === tooEarly) {
      if (bytes.length > text.length) return undefined
      return { what, byte: text.length, ...placeOf(levels, '') }
    }
    if (what !== undefined) {
      const isLine = what === moreFollows && /[\n\r]\{/.test(text.slice(at - 1, at + 1))
      const said = isLine ? what + asLines : what
      return { what: said, byte: at, ...placeOf(levels, text.slice(at)) }
    }
    before = pass(token, before, levels)
    at = end
  }
  return undefined
}

function endOfWord(text: string, start: number): number {
  wordRule.lastIndex = start
  return wordRule.test(text) ? wordRule.lastIndex : start
}

const awaitsKey = (before: string, level: Level | undefined) =>
  level?.closing === '}' && (before === '{' || before === ',')

/**
 * Says why a token may not come next.
 * @param before the preceding opening bracket, comma, colon or key, or `value`
 * @param isLast whether the text ends behind the token
 */
function mistakeIn(token: string, before: string, level: Level | undefined, isLast: boolean) {
  if (token === '') return tooEarly
  if (before === 'value' && level === undefined) return moreFollows
  if (token === '/' || token === '#') return 'A comment is not JSON'
  if (token === "'" && before !== 'value') return 'Single quotes are not JSON'
  if (token === level?.closing && before === ',') return 'A trailing comma is not JSON'
  if (token === level?.closing && ['[', '{', 'value'].includes(before)) return undefined
  if (before.startsWith('"')) return token === ':' ? undefined : `${notJson}, a colon is missing`
  if (before === 'value') {
    return token === ',' ? undefined : `${notJson}, a comma or ${level?.closing} is missing`
  }
  if (token.startsWith('"')) return mistakeInString(token, isLast)
  if (awaitsKey(before, level)) return `${notJson}, a key must be in double quotes`
  return token === '[' || token === '{' ? undefined : mistakeInWord(token, isLast)
}

function mistakeInString(token: string, isLast: boolean): string | undefined {
  if (unquoted(token) !== undefined) return undefined
  if (isLast) return tooEarly
  return `${notJson}, a string holds a line break, another control character or an unknown escape`
}

/** Only well-known words are quoted: others may be secret. */
function mistakeInWord(word: string, isLast: boolean): string | undefined {
  if (numberRule.test(word) || literals.includes(word)) return undefined
  if (foreignNumber.test(word)) return `${word} is not JSON`
  const instead = pythonWords.get(word)
  if (instead !== undefined) return `${word} is not JSON, ${instead} is`
  const isNumber = /^[-+.\d]/.test(word)
  const isBegun = begunNumber.test(word) || literals.some((literal) => literal.startsWith(word))
  if (isLast && isBegun) return tooEarly
  return isNumber ? `${notJson}, a number is written differently` : notJson
}

/** Moves past a token. @returns what the next token has before it */
function pass(token: string, before: string, levels: Level[]): string {
  const level = levels.at(-1)
  if (token === '[' || token === '{') {
    levels.push({ closing: token === '[' ? ']' : '}', index: 0 })
    return token
  }
  if (token === level?.closing) levels.pop()
  else if (token === ':' && level !== undefined) {
    level.key = before
    return token
  } else if (token === ',' && level !== undefined) {
    level.index += 1
    level.key = undefined
    return token
  } else if (awaitsKey(before, level)) return token
  else if (level?.key === '"text_id"') level.textId = token
  return 'value'
}

/** @param behind the text from the mistake on */
function placeOf(levels: readonly Level[], behind: string): Pick<JsonFault, 'path' | 'textId'> {
  const steps = levels.slice(0, shown.levels).map(stepOf)
  const more = levels.length > shown.levels ? ' …' : ''
  const path = steps.join('').replace(/^\./, '') + more
  // An item of a list in the outermost object is at the third level.
  const item = levels[2]
  if (item === undefined || item.closing === ']') return { path, textId: undefined }
  const token = item.textId ?? textIdBehind.exec(behind)?.[1] ?? ''
  return { path, textId: unquoted(token)?.slice(0, shown.textId) }
}

function stepOf({ closing, index, key }: Level): string {
  if (closing === ']') return `[${index}]`
  const name = unquoted(key ?? '')?.slice(0, shown.key)
  if (name === undefined) return ''
  return /^[\w-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}

/** The value of a token in latin1; undefined if it is no JSON. */
function unquoted(token: string): string | undefined {
  try {
    return String(JSON.parse(Buffer.from(token, 'latin1').toString()))
  } catch {
    return undefined
  }
}
