import { serveRequests } from '../../../concurrency/serve-requests.ts'
import type { SplitRequest } from './reader.ts'
import { type Split, splitJson, splitLines } from './split.ts'

function split({ bytes, isLines }: SplitRequest): Split {
  const { buffer, byteOffset, byteLength } = bytes
  return (isLines ? splitLines : splitJson)(Buffer.from(buffer, byteOffset, byteLength))
}

serveRequests(split, {
  transfer: ({ bytes, items, floats }) => [bytes.buffer, items.buffer, floats.buffer],
})
