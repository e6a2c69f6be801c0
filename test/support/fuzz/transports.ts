import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'

/** How a body is sent. */
export interface Transport {
  readonly headers: Readonly<Record<string, string>>
  /** Makes what is sent of what is meant. */
  readonly encode: (plain: Buffer) => Buffer
  /** Of each chunk; as a whole where it is not given. */
  readonly chunk?: number
  /** Whether what arrives is something else than what is meant. */
  readonly damages?: true
}

const fast = { level: 1 }
const same = (plain: Buffer) => plain
const gzip = (plain: Buffer) => gzipSync(plain, fast)
const bomb = gzip(Buffer.alloc(100 * 1024 * 1024))

/** With a wrong checksum. */
function damaged(plain: Buffer): Buffer {
  const whole = gzip(plain)
  whole.writeUInt8(whole.readUInt8(whole.length - 8) ^ 1, whole.length - 8)
  return whole
}

type More = Omit<Partial<Transport>, 'headers' | 'encode'>
const typed = (type: string): Transport => ({ headers: { 'Content-Type': type }, encode: same })
const encoded = (encoding: string, encode: Transport['encode'], more: More = {}): Transport => ({
  ...{ headers: { 'Content-Encoding': encoding }, encode, ...more },
})
const damages = { damages: true } as const

export const transports: Readonly<Record<string, Transport>> = {
  'as it is': { headers: {}, encode: same },
  'in small chunks': { headers: {}, encode: same, chunk: 1 },
  'as text': typed('text/plain'),
  'as a form': typed('application/x-www-form-urlencoded'),
  'as parts of a form': typed('multipart/form-data'),
  'as JSON in UTF-16': typed('application/json; charset=utf-16'),
  'as nothing known': typed('\t;;,'),
  gzip: encoded('gzip', gzip),
  'gzip in small chunks': encoded('gzip', gzip, { chunk: 1 }),
  'gzip of empty parts': encoded('gzip', (plain) =>
    Buffer.concat([...Array<Buffer>(1_000).fill(gzip(Buffer.of())), gzip(plain)]),
  ),
  'gzip and more': encoded('gzip', (plain) => Buffer.concat([gzip(plain), Buffer.from('more')])),
  'a gzip bomb': encoded('gzip', () => bomb),
  'gzip of gzip': encoded('gzip', (plain) => gzip(gzip(plain)), damages),
  'gzip cut off': encoded('gzip', (plain) => gzip(plain).subarray(0, -9), damages),
  'gzip that is damaged': encoded('gzip', damaged, damages),
  'not gzip': encoded('gzip', same, damages),
  'a list of encodings': encoded('gzip, gzip', (plain) => gzip(gzip(plain)), damages),
  deflate: encoded('deflate', (plain) => deflateSync(plain, fast)),
  'deflate without its head': encoded('deflate', (plain) => deflateRawSync(plain, fast), damages),
  brotli: encoded('br', (plain) => brotliCompressSync(plain.subarray(0, 1_000)), damages),
}
