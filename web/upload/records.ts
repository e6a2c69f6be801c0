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
  readonly problem: string | undefined
}

/**
 * The records of a CSV file, as RFC 4180 says: a quotation mark counts at the beginning of a cell.
 * @param given the delimiter; undefined to find it in the first line
 */
export async function* csvRecords(file: TextFile, given?: string): AsyncGenerator<CsvRecord> {
  let [text, line, delimiter] = ['', 1, '']
  function* complete(isLast: boolean): Generator<CsvRecord> {
    if (delimiter === '') {
      const header = headerIn(text, isLast)
      if (header === undefined) return
      // What Excel writes before the header.
      const told = /^sep=(.)$/.exec(header)?.[1]
      if (told !== undefined) text = text.replace(header, '')
      delimiter = given ?? told ?? delimiterOf(header.replaceAll(/"[^"]*"/g, ''))
    }
    const pattern = cellBefore(delimiter)
    let [from, cells, problem]: [number, string[], string?] = [0, []]
    for (;;) {
      const [, quoted, closing, behind = '', plain = '', end = ''] = pattern.exec(text) ?? []
      if (end === '' && !isLast) break
      if (closing === '') problem = 'a quotation mark is never closed'
      else if (behind !== '') problem = 'something follows a closing quotation mark'
      cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"') + behind)
      if (end === delimiter) continue
      // Spreadsheets write rows of nothing behind the others.
      if (cells.some((cell) => cell.trim() !== '')) yield { line, cells, problem }
      line += text.slice(from, pattern.lastIndex).split(/\r\n?|\n/).length - 1
      ;[from, cells, problem] = [pattern.lastIndex, [], undefined]
      if (end === '') break
    }
    text = text.slice(from)
  }
  for await (const piece of piecesOf(file)) {
    text += piece
    // A line feed may follow.
    if (!text.endsWith('\r')) yield* complete(false)
    refuseLong(text.length, line)
  }
  yield* complete(true)
}

/** A cell with what ends it: the delimiter, a line break, or the end of what is read so far. */
function cellBefore(delimiter: string): RegExp {
  const sign = `\\u${delimiter.charCodeAt(0).toString(16).padStart(4, '0')}`
  const plain = `([^${sign}\\r\\n]*)`
  const quoted = `"([^"]*(?:""[^"]*)*)("?)${plain}`
  return new RegExp(`(?:${quoted}|${plain})(${sign}|\\r\\n?|\\n|$)`, 'y')
}

/** The first record, whatever its delimiter; undefined if it may go on. */
function headerIn(text: string, isLast: boolean): string | undefined {
  const given = text.trimStart()
  // A quotation mark within a cell is one of its signs.
  const [header = ''] = /^(?:[^"\r\n]+|(?<=[^,;\t|"])"|"(?:[^"]|"")*")*/.exec(given) ?? []
  const isWhole = isLast || text.length > maxRecord || /[\r\n]/.test(given[header.length] ?? '')
  return isWhole ? header : undefined
}

/** Spreadsheets of many countries separate by semicolons. */
const delimiterOf = (header: string) =>
  [',', ';', '\t'].reduce((best, each) =>
    header.split(each).length > header.split(best).length ? each : best,
  )

function refuseLong(length: number, line: number): void {
  if (length > maxRecord) throw new Error(`Line ${line} has more than 8 MiB.`)
}
