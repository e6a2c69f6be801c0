import { bytesOf, type Encoding } from './encoding.ts'

/** A row by the names of the columns. */
export type Values = ReadonlyMap<string, unknown>

/** What the server takes for one line. */
const maxRecord = 8 * 1024 * 1024

/** What there is to read of a file of text. */
export interface TextFile {
  readonly file: File
  readonly encoding: Encoding
  /** Receives the bytes read so far. */
  readonly tell: (bytes: number) => void
}

/** @throws if the file is not in this encoding */
async function* piecesOf({ file, encoding, tell }: TextFile): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const decode = (piece?: Uint8Array) => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined })
    } catch {
      throw new Error('The file is not UTF-8. Save it as UTF-8, such as “CSV UTF-8”.')
    }
  }
  for await (const piece of bytesOf(file, tell)) yield decode(piece)
  yield decode()
}

interface FileLine {
  readonly line: number
  readonly text: string
}

/** The lines of a file that are not blank. */
export async function* linesOf(file: TextFile): AsyncGenerator<FileLine> {
  let [rest, line] = ['', 0]
  for await (const piece of piecesOf(file)) {
    const texts = (rest + piece).split('\n')
    rest = texts.pop() ?? ''
    for (const text of texts) {
      line += 1
      if (text.trim() !== '') yield { line, text }
    }
    refuseLong(rest.length, line + 1)
  }
  if (rest.trim() !== '') yield { line: line + 1, text: rest }
}

/** The objects of a JSON file, which stand in an array or one after another. */
export async function* objectsOf(file: TextFile): AsyncGenerator<FileLine> {
  let [depth, line, begun, object] = [0, 1, 1, '']
  let within: 'text' | 'escape' | undefined
  for await (const piece of piecesOf(file)) {
    let from = 0
    for (let at = 0; at < piece.length; at += 1) {
      const sign = piece[at] ?? ''
      if (sign === '\n') line += 1
      if (within === 'escape') within = 'text'
      else if (within === 'text') {
        if (sign === '\\') within = 'escape'
        else if (sign === '"') within = undefined
      } else if (sign === '{') {
        if (depth === 0) [from, begun] = [at, line]
        depth += 1
      } else if (depth === 0) {
        if (!/[\s,[\]]/.test(sign)) throw new Error(`Line ${line} has no JSON object.`)
      } else if (sign === '"') within = 'text'
      else if (sign === '}') {
        depth -= 1
        if (depth > 0) continue
        yield { line: begun, text: object + piece.slice(from, at + 1) }
        object = ''
      }
    }
    if (depth > 0) object += piece.slice(from)
    refuseLong(object.length, begun)
  }
  if (depth > 0) throw new Error(`The file ends within the object that begins in line ${begun}.`)
}

export interface CsvRecord {
  /** The line on which it begins. */
  readonly line: number
  readonly cells: readonly string[]
  /** Why the cells may not be what was meant. */
  readonly problem?: string
}

/**
 * The records of a CSV file, as RFC 4180 says: a quotation mark counts at the beginning of a cell.
 * @param delimiter undefined to find it in the first line
 */
export async function* csvRecords(file: TextFile, delimiter?: string): AsyncGenerator<CsvRecord> {
  const reader = new CsvReader()
  let begin = ''
  for await (const piece of piecesOf(file)) {
    let text = begin + piece
    if (reader.delimiter === '') {
      // Until the first line is there, or the file has ended. A name in quotes may have line breaks.
      begin = text
      const given = text.trimStart()
      const end = headerEnd(given)
      if (end === -1 && piece !== '' && text.length < maxRecord) continue
      const header = end === -1 ? given : given.slice(0, end)
      // What Excel writes before the header.
      const told = /^sep=(.)$/.exec(header)?.[1]
      if (told !== undefined) text = text.replace(header, '')
      reader.delimiter = delimiter ?? told ?? delimiterOf(header.replaceAll(/"[^"]*"/g, ''))
      begin = ''
    }
    yield* reader.read(text)
    refuseLong(reader.size, reader.begun)
  }
  yield* reader.end()
}

/** Where the first record ends, whatever its delimiter; -1 if it may go on. */
function headerEnd(text: string): number {
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]
    const isOpening = sign === '"' && (at === 0 || /[,;\t|]/.test(text[at - 1] ?? ''))
    if (isQuoted) isQuoted = sign !== '"'
    // A quotation mark within a quoted name is written twice.
    else if (isOpening || (sign === '"' && text[at - 1] === '"')) isQuoted = true
    else if (sign === '\n' || sign === '\r') return at
  }
  return -1
}

/** Spreadsheets of many countries separate by semicolons. */
const delimiterOf = (header: string) =>
  [',', ';', '\t'].reduce((best, each) =>
    header.split(each).length > header.split(best).length ? each : best,
  )

class CsvReader {
  delimiter = ''
  begun = 1
  size = 0
  #line = 1
  #cells: string[] = []
  #cell = ''
  #problem: string | undefined
  #at: 'start' | 'plain' | 'quoted' | 'closed' | 'return' = 'start'

  #endCell(): void {
    this.#cells.push(this.#cell)
    this.#cell = ''
    this.#at = 'start'
  }

  *read(text: string): Generator<CsvRecord> {
    for (let at = 0; at < text.length; at += 1) {
      const sign = text[at] ?? ''
      if (this.#at === 'return') {
        this.#at = 'start'
        if (sign === '\n') continue
      }
      this.size += 1
      if (this.#at === 'quoted') this.#readQuoted(sign)
      else if (sign === this.delimiter) this.#endCell()
      else if (sign === '\n' || sign === '\r') {
        yield* this.end()
        this.#line += 1
        this.begun = this.#line
        if (sign === '\r') this.#at = 'return'
      } else this.#readOutside(sign)
    }
  }

  /** The last record, as far as there is one. */
  *end(): Generator<CsvRecord> {
    if (this.#at === 'quoted') this.#problem = 'a quotation mark is never closed'
    this.#endCell()
    const [cells, problem] = [this.#cells, this.#problem]
    this.#cells = []
    this.#problem = undefined
    this.size = 0
    // Spreadsheets write rows of nothing behind the others.
    if (cells.every((cell) => cell.trim() === '')) return
    yield { line: this.begun, cells, ...(problem !== undefined && { problem }) }
  }

  #readQuoted(sign: string): void {
    if (sign === '"') this.#at = 'closed'
    else this.#cell += sign
    if (sign === '\n') this.#line += 1
  }

  #readOutside(sign: string): void {
    if (sign === '"' && this.#at === 'start') {
      this.#at = 'quoted'
      return
    }
    if (this.#at === 'closed') {
      this.#at = sign === '"' ? 'quoted' : 'plain'
      if (sign !== '"') this.#problem = 'something follows a closing quotation mark'
    } else this.#at = 'plain'
    this.#cell += sign
  }
}

function refuseLong(length: number, line: number): void {
  if (length > maxRecord) throw new Error(`Line ${line} has more than 8 MiB.`)
}
