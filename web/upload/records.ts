/** What the server takes for one line. */
const maxRecord = 8 * 1024 * 1024

/**
 * Reads a file piece by piece, so that a large one is never in memory as a whole.
 * @param tell receives the bytes read so far
 * @throws if the file is not UTF-8
 */
async function* piecesOf(file: File, tell: (bytes: number) => void): AsyncGenerator<string> {
  let bytes = 0
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(piece, controller) {
      bytes += piece.length
      tell(bytes)
      controller.enqueue(piece)
    },
  })
  const read = file.stream().pipeThrough(counted)
  const isPacked = /\.gz$/i.test(file.name)
  const reader = (isPacked ? read.pipeThrough(new DecompressionStream('gzip')) : read).getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (piece: Uint8Array | undefined) => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined })
    } catch {
      throw new Error('The file is not UTF-8. Save it as UTF-8, such as “CSV UTF-8”.')
    }
  }
  try {
    for (;;) {
      const { done, value } = await reader.read()
      yield decode(value)
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

interface FileRecord {
  /** The line on which it begins. */
  readonly line: number
  readonly text: string
}

/** @param hasQuotes whether line feeds between quotation marks belong to a record, as in CSV */
export async function* recordsOf(
  file: File,
  hasQuotes: boolean,
  tell: (bytes: number) => void,
): AsyncGenerator<FileRecord> {
  let [rest, begun, line, isQuoted] = ['', 1, 1, false]
  for await (const piece of piecesOf(file, tell)) {
    const text = rest + piece
    let from = 0
    for (let at = rest.length; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code === quote && hasQuotes) isQuoted = !isQuoted
      if (code !== lineFeed) continue
      line += 1
      if (isQuoted) continue
      if (at > from) yield { line: begun, text: text.slice(from, at) }
      begun = line
      from = at + 1
    }
    rest = text.slice(from)
    if (rest.length > maxRecord) throw new Error(`Line ${begun} has more than 8 MiB.`)
  }
  if (isQuoted) throw new Error(`Line ${begun}: a quotation mark is never closed.`)
  if (rest !== '') yield { line: begun, text: rest }
}

const quote = 0x22
const lineFeed = 0x0a

/** The cells of a record of a CSV file. @throws for what follows a closing quotation mark */
export function cellsOf(record: string, delimiter: string): string[] {
  const text = record.replace(/\r$/, '')
  const cells: string[] = []
  for (let at = 0; at <= text.length; at += 1) {
    const quoted = text[at] === '"' ? quotedCell(text, at + 1) : undefined
    const next = text.indexOf(delimiter, quoted?.end ?? at)
    const end = next === -1 ? text.length : next
    if (quoted !== undefined && end !== quoted.end)
      throw new Error('something follows a closing quotation mark')
    cells.push(quoted?.cell ?? text.slice(at, end))
    at = end
  }
  return cells
}

function quotedCell(text: string, from: number): { cell: string; end: number } {
  let end = from
  for (; end < text.length; end += 1) {
    if (text[end] !== '"') continue
    if (text[end + 1] !== '"') break
    end += 1
  }
  return { cell: text.slice(from, end).replaceAll('""', '"'), end: end + 1 }
}
