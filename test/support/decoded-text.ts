import { gunzipSync } from 'node:zlib'

/** The text of an answer, decompressed as a client would. */
export async function decodedText(response: Response): Promise<string> {
  if (response.headers.get('content-encoding') !== 'gzip') return response.text()
  const bytes = await response.arrayBuffer()
  // That of HEAD has none.
  return bytes.byteLength === 0 ? '' : gunzipSync(bytes).toString()
}
