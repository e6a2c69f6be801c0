import { Gunzip } from 'fflate'

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

/** What fflate calls data that are no gzip. */
const invalidGzip = 6
/** What shows that only padding follows: fflate looks at this many bytes for another member. */
const leastPadding = 4

/**
 * Unpacks gzip of any number of members, as bgzip and `cat` write it, and with zeros behind, as tapes
 * have them. The browser's own DecompressionStream stops after the first member.
 */
function gunzip(): TransformStream<Bytes, Bytes> {
  const members = new Gunzip()
  let isBehind = false
  const push = (piece: Bytes, isLast: boolean) => {
    if (isBehind && piece.some((byte) => byte !== 0)) throw damaged()
    if (isBehind) return
    try {
      members.push(piece, isLast)
    } catch (error) {
      const isInvalid = error instanceof Error && 'code' in error && error.code === invalidGzip
      const end = piece.findLastIndex((byte) => byte !== 0) + 1
      if (!isInvalid || piece.length - end < leastPadding) throw damaged()
      isBehind = true
    }
  }
  return new TransformStream<Bytes, Bytes>({
    start(controller) {
      members.ondata = (piece) => controller.enqueue(new Uint8Array(piece))
    },
    transform: (piece) => push(piece, false),
    flush: () => push(new Uint8Array(), true),
  })
}

const damaged = () => new Error('The file is no gzip, or it is damaged or cut off.')
