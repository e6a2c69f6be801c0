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
const encoded = (encoding: string) => ({ 'Content-Encoding': encoding })

export const transports: Readonly<Record<string, Transport>> = {
  'as it is': { headers: {}, encode: same },
  gzip: { headers: encoded('gzip'), encode: gzip },
  deflate: { headers: encoded('deflate'), encode: (plain) => deflateSync(plain, fast) },
  'in small chunks': { headers: {}, encode: same, chunk: 1 },
  'gzip in small chunks': { headers: encoded('gzip'), encode: gzip, chunk: 1 },
  'gzip of empty parts': {
    headers: encoded('gzip'),
    encode: (plain) =>
      Buffer.concat([...Array<Buffer>(1_000).fill(gzip(Buffer.of())), gzip(plain)]),
  },
  'as text': { headers: { 'Content-Type': 'text/plain' }, encode: same },
  'as a form': { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, encode: same },
  'as parts of a form': { headers: { 'Content-Type': 'multipart/form-data' }, encode: same },
  'as JSON in UTF-16': {
    headers: { 'Content-Type': 'application/json; charset=utf-16' },
    encode: same,
  },
  'as nothing known': { headers: { 'Content-Type': '\t;;,' }, encode: same },
  'gzip of gzip': { headers: encoded('gzip'), encode: (plain) => gzip(gzip(plain)), damages: true },
  'gzip cut off': {
    headers: encoded('gzip'),
    encode: (plain) => gzip(plain).subarray(0, -9),
    damages: true,
  },
  'gzip and more': {
    headers: encoded('gzip'),
    encode: (plain) => Buffer.concat([gzip(plain), Buffer.from('more')]),
  },
  'deflate without its head': {
    headers: encoded('deflate'),
    encode: (plain) => deflateRawSync(plain, fast),
    damages: true,
  },
  'not gzip': { headers: encoded('gzip'), encode: same, damages: true },
  brotli: {
    headers: encoded('br'),
    encode: (plain) => brotliCompressSync(plain.subarray(0, 1_000)),
    damages: true,
  },
  'a list of encodings': {
    headers: encoded('gzip, gzip'),
    encode: (plain) => gzip(gzip(plain)),
    damages: true,
  },
}
