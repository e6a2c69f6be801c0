import { endOfString, jsonBytes, skipSpace } from './scan.ts'

interface Level {
  readonly closing: ']' | '}'
  index: number
  /** Where the current key is, including its quotes. */
  keyStart: number
  keyEnd: number
  textId: string | undefined
}

const { quote, colon, openArray, closeArray, openObject, closeObject } = jsonBytes
/** The depth within an item of a list in the outermost object. */
const itemDepth = 3
/** How much of a path, of its keys and of a text_id is shown. */
const [shownSteps, shownKey, shownTextId] = [32, 100, 300]
/** How many bytes after a mistake are searched for the text_id of its item. */
const lookAhead = 1024 * 1024

/** The current place in a JSON text that is read from its beginning. */
export class JsonLocation {
  readonly #bytes: Buffer
  readonly #levels: Level[] = []

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get depth(): number {
    return this.#levels.length
  }

  /** What closes the innermost object or array; undefined outside of any. */
  get closing(): Level['closing'] | undefined {
    return this.#levels.at(-1)?.closing
  }

  open(closing: Level['closing']): void {
    this.#levels.push({ closing, index: 0, keyStart: -1, keyEnd: -1, textId: undefined })
  }

  close(): void {
    this.#levels.pop()
  }

  /**
   * Moves past a comma.
   * @returns whether a value follows, and not a key
   */
  next(): boolean {
    const level = this.#levels.at(-1)
    if (level === undefined) return true
    level.index += 1
    return level.closing === ']'
  }

  key(start: number, end: number): void {
    const level = this.#levels.at(-1)
    if (level === undefined) return
    level.keyStart = start
    level.keyEnd = end
  }

  /** Notes a string that is the value of the current key. */
  text(start: number, end: number): void {
    const level = this.#levels.at(-1)
    if (level === undefined || this.#levels.length !== itemDepth) return
    const key = this.#bytes.toString('latin1', level.keyStart, level.keyEnd)
    if (key === '"text_id"') level.textId = this.#stringAt(start, end)
  }

  /** @param ofContainer leaves out the place within the innermost object or array */
  path(ofContainer: boolean): string {
    const levels = ofContainer ? this.#levels.slice(0, -1) : this.#levels
    const steps = levels.slice(0, shownSteps).map((level) => this.#step(level))
    const more = levels.length > shownSteps ? ' …' : ''
    return steps.join('').replace(/^\./, '') + more
  }

  /**
   * The text_id of the item that contains `byte`, in a list in the outermost object. The text_id
   * may come after that byte.
   */
  textId(byte: number): string | undefined {
    const item = this.#levels[itemDepth - 1]
    if (item === undefined || item.closing === ']') return undefined
    return (item.textId ?? this.#textIdBehind(byte))?.slice(0, shownTextId)
  }

  #step({ closing, index, keyStart, keyEnd }: Level): string {
    if (closing === ']') return `[${index}]`
    if (keyStart === -1) return ''
    const key = this.#stringAt(keyStart, keyEnd)
    if (/^[\w-]+$/.test(key) && key.length <= shownKey) return `.${key}`
    return `[${JSON.stringify(key.slice(0, shownKey))}]`
  }

  /** The value of a string that was read already. */
  #stringAt(start: number, end: number): string {
    return String(JSON.parse(this.#bytes.toString('utf8', start, end)))
  }

  /**
   * Looks behind a mistake. Brackets and strings tell where the item ends, whatever else is wrong
   * in it.
   */
  #textIdBehind(byte: number): string | undefined {
    const bytes = this.#bytes
    const end = Math.min(bytes.length, byte + lookAhead)
    let depth = this.#levels.length
    for (let at = byte; at < end && depth >= itemDepth; at += 1) {
      const found = bytes[at]
      if (found === openArray || found === openObject) depth += 1
      else if (found === closeArray || found === closeObject) depth -= 1
      else if (found === quote) {
        const close = endOfString(bytes, at)
        if (depth === itemDepth && bytes.toString('latin1', at, close) === '"text_id"') {
          const behindKey = skipSpace(bytes, close)
          const start = skipSpace(bytes, behindKey + 1)
          if (bytes[behindKey] !== colon || bytes[start] !== quote) return undefined
          return textOf(bytes.toString('utf8', start, endOfString(bytes, start)))
        }
        at = close - 1
      }
    }
    return undefined
  }
}

/** The value of a JSON string; undefined if it is none. */
function textOf(token: string): string | undefined {
  try {
    return String(JSON.parse(token))
  } catch {
    return undefined
  }
}
