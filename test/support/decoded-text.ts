import { brotliDecompressSync, gunzipSync } from 'node:zlib'

const decoders = { gzip: gunzipSync, br: brotliDecompressSync }

/** The text of an answer, decompressed as a client would. */
export async function decodedText(response: Response): Promise<string> {
  const coding = response.headers.get('content-encoding')
  if (coding !== 'gzip' && coding !== 'br') return response.text()
  const bytes = await response.arrayBuffer()
  // That of HEAD has none.
  return bytes.byteLength === 0 ? '' : decoders[coding](bytes).toString()
}
