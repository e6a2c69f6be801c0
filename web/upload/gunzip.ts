import { Gunzip } from 'fflate'

type Bytes = Uint8Array<ArrayBuffer>

/** What fflate calls data that are no gzip. */
const invalidGzip = 6
/** What shows that only padding follows: fflate looks at this many bytes for another member. */
const leastPadding = 4

/**
 * Unpacks gzip of any number of members, as bgzip and `cat` write it, and with zeros behind, as tapes
 * have them. The browser's own DecompressionStream stops after the first member.
 */
export function gunzip(): TransformStream<Bytes, Bytes> {
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
