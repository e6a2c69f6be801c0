import { serveRequests } from '../../concurrency/serve-requests.ts'
import { type Split, splitJson } from './split.ts'

function split({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Split {
  return splitJson(Buffer.from(buffer, byteOffset, byteLength))
}

serveRequests(split, {
  transfer: ({ bytes, items, vectors, floats }) => [
    bytes.buffer,
    items.buffer,
    vectors.buffer,
    floats.buffer,
  ],
})
