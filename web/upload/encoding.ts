import { gunzip } from './gunzip.ts'

type Bytes = Uint8Array<ArrayBuffer>
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/**
 * Reads a file piece by piece, unpacked, so that a large one is never in memory as a whole.
 * @param tell receives the bytes read so far, as they are packed
 */
export async function* bytesOf(file: File, tell: (bytes: number) => void): AsyncGenerator<Bytes> {
  let bytes = 0
  const counted = new TransformStream<Bytes, Bytes>({
    transform(piece, controller) {
      bytes += piece.length
      tell(bytes)
      controller.enqueue(piece)
    },
  })
  const read = file.stream().pipeThrough(counted)
  const reader = (/\.gz$/i.test(file.name) ? read.pipeThrough(gunzip()) : read).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/**
 * How a file of text is encoded. Excel writes UTF-16 as "Unicode text", and "CSV" in the encoding
 * of Windows, which only the first letter beyond ASCII tells, however far down it stands.
 * @param isTable whether it may be from a spreadsheet
 */
export async function encodingOf(file: File, isTable: boolean): Promise<Encoding> {
  const decoder = new TextDecoder()
  let isFirst = true
  for await (const piece of bytesOf(file, () => undefined)) {
    const start = isFirst ? `${piece[0]} ${piece[1]}` : ''
    if (start === '255 254') return 'utf-16le'
    if (start === '254 255') return 'utf-16be'
    if (start === '80 75') throw workbook()
    if (!isTable) return 'utf-8'
    isFirst = false
    const found = encodingIn(decoder.decode(piece, { stream: true }))
    if (found !== undefined) return found
  }
  return encodingIn(decoder.decode()) ?? 'utf-8'
}

/** Of damaged UTF-8, most letters are right: whoever reads it says what is wrong. */
function encodingIn(text: string): Encoding | undefined {
  const count = (sign: RegExp) => text.match(sign)?.length ?? 0
  const all = count(/[\u0080-\uffff]/g)
  if (all === 0) return undefined
  return 2 * count(/\ufffd/g) > all ? 'windows-1252' : 'utf-8'
}

export const workbook = () =>
  new Error(
    'This is an Excel workbook, or packed in another way. In Excel, choose Save As and “CSV UTF-8”, and upload that file.',
  )
